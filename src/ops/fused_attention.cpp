#include "ops/fused_attention.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/definitions.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/expansion.h"
#include "ops/shared/gemm_like.h"
#include "ops/shared/onnx_type.h"

namespace braid {
namespace {

/// By AttentionMask::Kind.
constexpr std::array<std::string_view, 3> kMaskKinds = {"add", "keep", "drop"};

[[noreturn]] void reject_fused(const OpCall& call, const std::string& why) {
  raise(ErrorKind::Model,
        fmt::format("FusedAttention of {}, {} and {} {}", to_string(call.input(0)),
                    to_string(call.input(1)), to_string(call.input(2)), why));
}

Dims leading(const Dims& dims) { return {dims.begin(), dims.end() - 2}; }

AttentionMask::Kind mask_kind(const OpCall& call, const std::string& name) {
  const auto found = std::find(kMaskKinds.begin(), kMaskKinds.end(), name);
  if (found == kMaskKinds.end()) reject_fused(call, fmt::format("has a mask of kind '{}'", name));
  return static_cast<AttentionMask::Kind>(found - kMaskKinds.begin());
}

std::vector<AttentionMask> read_masks(const OpCall& call) {
  const std::vector<std::string> kinds = call.attributes->texts("masks");
  const std::vector<float> fills = call.attributes->reals("fills");
  if (kinds.size() != call.inputs.size() - FusedAttention::kOperands ||
      fills.size() != kinds.size())
    reject_fused(call, fmt::format("has {} masks of {} kinds with {} fills",
                                   call.inputs.size() - FusedAttention::kOperands, kinds.size(),
                                   fills.size()));
  std::vector<AttentionMask> masks;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    masks.push_back({mask_kind(call, kinds[i]), fills[i]});
  return masks;
}

void check_masks(const OpCall& call, const FusedAttention& attention) {
  for (std::size_t i = 0; i < attention.masks.size(); ++i) {
    const std::size_t input = FusedAttention::kOperands + i;
    check_broadcasts_to(call, input, "a mask", attention.scores());
    const ElementType wanted = attention.masks[i].kind == AttentionMask::Kind::Add
                                   ? call.input(0).element
                                   : ElementType::Bool;
    if (call.input(input).element != wanted)
      reject_fused(call, fmt::format("has a mask {} of kind '{}'", to_string(call.input(input)),
                                     call.attributes->texts("masks")[i]));
  }
}

std::vector<TensorType> infer_fused_attention(const OpCall& call) {
  const FusedAttention attention = fused_attention(call);
  Dims output = attention.batch;
  output.insert(output.end(), {attention.rows, attention.columns});
  return {{call.input(0).element, output}};
}

Work fused_attention_work(const OpCall& call) {
  const FusedAttention attention = fused_attention(call);
  const auto scores = static_cast<double>(element_count(attention.scores()));
  Work work;
  work.macs = scores * static_cast<double>(attention.depth + attention.columns);
  work.flops = 2 * work.macs + scores * static_cast<double>(6 + attention.masks.size());
  return work;
}

Footprint fused_attention_footprint(const OpCall& call) {
  const FusedAttention attention = fused_attention(call);
  return gemm_footprint(attention.rows, attention.columns, element_count(attention.batch));
}

const Attributes& along_keys() {
  static const Attributes attributes = {{"axis", std::int64_t{-1}}};
  return attributes;
}

/// The operators that it stands for, made one by one: `make(op, inputs, attributes, type)` adds one
/// and `number(x)` a scalar.
template <class Value, class Make, class Number>
Value in_plain_operators(const FusedAttention& attention, ElementType element,
                         std::span<const Value> inputs, Make make, Number number) {
  const TensorType scores{element, attention.scores()};
  Value x = make("MatMul", {inputs[0], inputs[1]}, {}, scores);
  if (attention.scale != 1) x = make("Mul", {x, number(attention.scale)}, {}, scores);
  for (std::size_t i = 0; i < attention.masks.size(); ++i) {
    const AttentionMask& mask = attention.masks[i];
    const Value& given = inputs[FusedAttention::kOperands + i];
    if (mask.kind == AttentionMask::Kind::Add)
      x = make("Add", {x, given}, {}, scores);
    else if (mask.kind == AttentionMask::Kind::Keep)
      x = make("Where", {given, x, number(mask.fill)}, {}, scores);
    else
      x = make("Where", {given, number(mask.fill), x}, {}, scores);
  }
  x = make("Softmax", {x}, along_keys(), scores);
  if (attention.undefined_is_zero) {
    const Value undefined = make("IsNaN", {x}, {}, {ElementType::Bool, scores.dims});
    x = make("Where", {undefined, number(0), x}, {}, scores);
  }
  Dims output = attention.batch;
  output.insert(output.end(), {attention.rows, attention.columns});
  return make("MatMul", {x, inputs[2]}, {}, {element, output});
}

std::vector<Tensor> evaluate_fused_attention(const OpCall& call, std::span<const Tensor> inputs) {
  const ElementType element = call.input(0).element;
  const auto make = [](std::string_view op, const std::vector<Tensor>& operands,
                       const Attributes& attributes,
                       const TensorType&) { return evaluate(op, attributes, operands)[0]; };
  const auto number = [&](float x) {
    const std::vector<Tensor> scalar = {Tensor::scalar(x)};
    return evaluate("Cast", {{"to", onnx_type(element)}}, scalar)[0];
  };
  return {in_plain_operators<Tensor>(fused_attention(call), element, inputs, make, number)};
}

GraphEdit expand_fused_attention(const Graph& graph, NodeId id) {
  Expansion expansion(graph, id);
  const Node& node = expansion.node();
  const auto make = [&](std::string_view op, std::vector<ValueId> operands, Attributes attributes,
                        const TensorType& type) {
    return expansion.add(op, std::move(operands), std::move(attributes), type);
  };
  const auto number = [&](float x) { return expansion.number(x); };
  return expansion.finish(in_plain_operators<ValueId>(
      fused_attention(call_of(graph, node)), expansion.type().element, node.inputs, make, number));
}

}  // namespace

Dims FusedAttention::scores() const {
  Dims dims = batch;
  dims.insert(dims.end(), {rows, keys});
  return dims;
}

FusedAttention fused_attention(const OpCall& call) {
  const Dims& q = call.dims(0);
  const Dims& k = call.dims(1);
  const Dims& v = call.dims(2);
  if (q.size() < 2 || k.size() < 2 || v.size() < 2) reject_fused(call, "needs matrices");
  FusedAttention attention;
  attention.rows = q[q.size() - 2];
  attention.depth = q.back();
  attention.keys = k.back();
  attention.columns = v.back();
  attention.batch = broadcast(call.op, leading(q), leading(k));
  if (k[k.size() - 2] != attention.depth || v[v.size() - 2] != attention.keys ||
      broadcast(call.op, attention.batch, leading(v)) != attention.batch)
    reject_fused(call, "does not fit together");
  const ElementType element = call.input(0).element;
  if (call.input(1).element != element || call.input(2).element != element)
    reject_fused(call, "needs operands of one type");
  attention.scale = call.attributes->real("scale", 1);
  attention.undefined_is_zero = call.attributes->integer("undefined_is_zero", 0) != 0;
  attention.masks = read_masks(call);
  check_masks(call, attention);
  return attention;
}

Attributes fused_attention_attributes(const FusedAttention& attention) {
  Attributes attributes;
  if (attention.scale != 1) attributes.set("scale", attention.scale);
  if (attention.undefined_is_zero) attributes.set("undefined_is_zero", std::int64_t{1});
  std::vector<std::string> kinds;
  std::vector<float> fills;
  for (const AttentionMask& mask : attention.masks) {
    kinds.emplace_back(kMaskKinds[static_cast<std::size_t>(mask.kind)]);
    fills.push_back(mask.fill);
  }
  if (kinds.empty()) return attributes;
  attributes.set("masks", std::move(kinds));
  attributes.set("fills", std::move(fills));
  return attributes;
}

std::vector<OpDef> fused_attention_ops() {
  OpDef def;
  def.name = "FusedAttention";
  def.min_inputs = FusedAttention::kOperands;
  def.max_inputs = FusedAttention::kOperands + FusedAttention::kMostMasks;
  def.attributes = {{"fills", AttributeKind::Reals},
                    {"masks", AttributeKind::Texts},
                    {"scale", AttributeKind::Real},
                    {"undefined_is_zero", AttributeKind::Integer}};
  def.types = kFloats;
  def.infer = infer_fused_attention;
  def.work = fused_attention_work;
  def.footprint = fused_attention_footprint;
  def.evaluate = evaluate_fused_attention;
  def.expand = expand_fused_attention;
  def.needs_expansion = [](const Node&, int) { return true; };
  return {def};
}

}  // namespace braid
