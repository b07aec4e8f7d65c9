#include <map>

#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/fused_attention.h"
#include "ops/shared/epilogue.h"
#include "tensor/element.h"
#include "tests/ops/generators.h"

namespace braid {
namespace {

Case matmul(Draw& draw, const OpDef& def) {
  Case c{.op = std::string(def.name), .inputs = {}};
  const ElementType element = draw.element(def.types);
  const Dims batch = draw.dims(0, 2);
  const std::int64_t depth = draw.extent(8);
  const auto operand = [&](std::int64_t rows, std::int64_t columns) {
    if (draw.chance(0.15)) return draw.tensor(element, {depth});
    Dims dims = draw.broadcasting_to(batch);
    dims.insert(dims.end(), {rows, columns});
    return draw.tensor(element, dims);
  };
  c.inputs = {operand(draw.extent(8), depth), operand(depth, draw.extent(8))};
  if (draw.chance(0.3))
    c.inputs.push_back(draw.tensor(
        element, draw.broadcasting_to(evaluate(c.op, c.attributes, c.inputs)[0].dims())));
  add_epilogue(draw, c);
  return c;
}

Case fused_attention_case(Draw& draw, const OpDef& def) {
  Case c{.op = std::string(def.name), .inputs = {}};
  const ElementType element = draw.element(def.types);
  FusedAttention attention;
  attention.batch = draw.dims(0, 2);
  attention.rows = draw.extent(8);
  attention.keys = draw.extent(8);
  const std::int64_t depth = draw.extent(8);
  attention.keys_by_rows = draw.chance(0.3);
  const auto operand = [&](Dims dims, std::int64_t rows, std::int64_t columns) {
    dims.insert(dims.end(), {rows, columns});
    return draw.tensor(element, dims);
  };
  c.inputs = {operand(attention.batch, attention.rows, depth),
              attention.keys_by_rows
                  ? operand(draw.broadcasting_to(attention.batch), attention.keys, depth)
                  : operand(draw.broadcasting_to(attention.batch), depth, attention.keys),
              operand(draw.broadcasting_to(attention.batch), attention.keys, draw.extent(8))};
  attention.scale = draw.chance() ? 1 : draw.real(0.1F, 1);
  attention.undefined_is_zero = draw.chance(0.2);
  attention.skips_hidden = draw.chance(0.4);
  if (draw.chance(0.2)) attention.cap = draw.real(0.5F, 3);
  if (attention.skips_hidden)
    attention.window = {draw.integer(0, attention.keys), draw.integer(-1, attention.rows),
                        draw.integer(-1, attention.keys)};
  for (std::int64_t i = draw.integer(0, 2); i > 0; --i) {
    using Kind = AttentionMask::Kind;
    const Kind kind = draw.one_of({Kind::Add, Kind::Keep, Kind::Drop});
    attention.masks.push_back({kind, kind == Kind::Add ? 0.0F : -1e4F});
    c.inputs.push_back(draw.tensor(kind == Kind::Add ? element : ElementType::Bool,
                                   draw.broadcasting_to(attention.scores())));
  }
  c.attributes = fused_attention_attributes(attention);
  return c;
}

Case gemm(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const ElementType element = draw.element(def.types);
  for (const std::string_view factor : {"alpha", "beta"})
    if (c.attributes.has(factor) && (draw.whole() || !is_float_type(element)))
      c.attributes.set(factor, static_cast<float>(draw.integer(-2, 2)));
  const std::int64_t rows = draw.extent(8);
  const std::int64_t depth = draw.extent(8);
  const std::int64_t columns = draw.extent(8);
  const bool turn_a = c.attributes.integer("transA", 0) != 0;
  const bool turn_b = c.attributes.integer("transB", 0) != 0;
  c.inputs = {draw.tensor(element, turn_a ? Dims{depth, rows} : Dims{rows, depth}),
              draw.tensor(element, turn_b ? Dims{columns, depth} : Dims{depth, columns})};
  if (draw.chance())
    c.inputs.push_back(draw.tensor(element, draw.broadcasting_to({rows, columns})));
  for (const std::string_view ours : {"activation_alpha", "activation_beta"})
    c.attributes.erase(ours);
  add_epilogue(draw, c);
  return c;
}

struct EinsumRow {
  std::string_view equation;
  std::vector<std::string_view> operands;  ///< "." is an axis under the ellipsis
};

const std::vector<EinsumRow> kEquations = {
    {"ij,jk->ik", {"ij", "jk"}},
    {"ij,jk", {"ij", "jk"}},
    {"bij,bjk->bik", {"bij", "bjk"}},
    {"...ij,...jk->...ik", {".ij", ".jk"}},
    {"...ij,jk", {".ij", "jk"}},
    {"i,i->", {"i", "i"}},
    {"i,j->ij", {"i", "j"}},
    {"ii->i", {"ii"}},
    {"ii", {"ii"}},
    {"ijk->kij", {"ijk"}},
    {"ij->", {"ij"}},
    {"ij,ij->j", {"ij", "ij"}},
    {"bqhd,bkhd->bhqk", {"bqhd", "bkhd"}},
    {"bhqk,bkhd->bqhd", {"bhqk", "bkhd"}},
    {"bthd,hdm->btm", {"bthd", "hdm"}},
    {"i,ij,j->", {"i", "ij", "j"}},
    {"->", {""}},
    {",i->i", {"", "i"}},
    {"...->...", {".."}},
};

Case einsum(Draw& draw, const OpDef& def) {
  Case c{.op = std::string(def.name), .inputs = {}};
  const ElementType element = draw.element(def.types);
  const auto row = static_cast<std::size_t>(draw.integer(0, std::ssize(kEquations) - 1));
  const EinsumRow& equation = kEquations[row];
  c.attributes.set("equation", std::string(equation.equation));
  std::map<char, std::int64_t> extents;
  for (const std::string_view operand : equation.operands) {
    Dims dims;
    for (const char label : operand)
      dims.push_back(extents.try_emplace(label, draw.extent()).first->second);
    c.inputs.push_back(draw.tensor(element, dims));
  }
  return c;
}

}  // namespace

void add_epilogue(Draw& draw, Case& c) {
  if (draw.chance(0.6)) return;
  const bool integers = !is_float_type(c.inputs[0].element());
  const TensorType type = evaluate(c.op, c.attributes, c.inputs)[0].type();
  if (draw.chance()) {
    c.inputs.resize(Epilogue::kResidualInput);
    c.inputs.push_back(draw.tensor(type));
  }
  const std::string activation = draw.whole() || integers
                                     ? draw.text_of({"", "relu", "clip"})
                                     : activation_names()[static_cast<std::size_t>(
                                           draw.integer(0, std::ssize(activation_names()) - 1))];
  if (activation.empty()) return;
  c.attributes.set("activation", activation);
  if (activation == "clip") {
    c.attributes.set("activation_alpha", -1.0F);
    c.attributes.set("activation_beta", 2.0F);
  }
}

std::vector<Generator> product_generators() {
  using enum Exactness;
  return {
      {"Einsum", einsum, OnWhole, true},
      {"FusedAttention", fused_attention_case},
      {"Gemm", gemm, OnWhole},
      {"MatMul", matmul, OnWhole},
  };
}

}  // namespace braid
