#include "ops/fused_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/checked.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/definitions.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/expansion.h"
#include "ops/shared/gemm_like.h"
#include "ops/shared/onnx_type.h"
#include "tensor/element.h"

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

/// No number reaches further than from the first row to the last key.
AttentionWindow read_window(const OpCall& call, std::int64_t most) {
  const auto read = [&](const char* name, std::int64_t fallback) {
    const std::int64_t places = call.attributes->integer(name, fallback);
    if (places < fallback || places > most)
      reject_fused(call, fmt::format("has {}={}", name, places));
    return places;
  };
  return {read("offset", 0), read("before", -1), read("after", -1)};
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

/// Which keys the rows see by their places.
Tensor seen_by_place(const FusedAttention& attention) {
  const Dims dims = {attention.rows, attention.keys};
  Tensor seen = Tensor::uninitialised({ElementType::Bool, dims});
  auto to = seen.mutable_data<bool>().begin();
  for (std::int64_t row = 0; row < attention.rows; ++row)
    for (std::int64_t key = 0; key < attention.keys; ++key)
      *to++ = key >= attention.window.first(row, attention.keys) &&
              key < attention.window.end(row, attention.keys);
  return seen;
}

/// shares x values, in which keys whose share is 0 (or denormal, which kernels take for 0) take no
/// part.
Tensor weighed(const FusedAttention& attention, const Tensor& shares, const Tensor& given) {
  const auto leading_to = [&](std::int64_t rows, std::int64_t columns) {
    Dims dims = attention.batch;
    dims.insert(dims.end(), {rows, columns});
    return dims;
  };
  const Tensor values = spread(given, leading_to(attention.keys, attention.columns));
  Tensor result =
      Tensor::uninitialised({shares.element(), leading_to(attention.rows, attention.columns)});
  const auto share = numbers<double>(shares);
  const auto value = numbers<double>(values);
  dispatch_floats(result.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto to = result.mutable_data<T>().begin();
    for (std::int64_t row = 0; row < element_count(attention.batch) * attention.rows; ++row)
      for (std::int64_t column = 0; column < attention.columns; ++column) {
        double sum = 0;
        for (std::int64_t key = 0; key < attention.keys; ++key) {
          const double part = share[static_cast<std::size_t>(row * attention.keys + key)];
          if (std::fabs(part) < std::numeric_limits<float>::min()) continue;
          const std::int64_t at = row / attention.rows * attention.keys + key;
          sum += part * value[static_cast<std::size_t>(at * attention.columns + column)];
        }
        *to++ = store<T>(sum);
      }
  });
  return result;
}

/// Makes the operators that an attention stands for one by one, of whatever values `Maker` makes.
template <class Maker>
class InPlainOperators {
 public:
  using Value = typename Maker::Value;

  InPlainOperators(Maker maker, const FusedAttention& attention, const TensorType& keys)
      : maker_(std::move(maker)),
        attention_(attention),
        keys_(keys),
        scores_{keys.element, attention.scores()} {}

  Value made(std::span<const Value> inputs) {
    Value x = maker_.add("MatMul", {inputs[0], keys(inputs[1])}, {}, scores_);
    if (attention_.scale != 1) x = add("Mul", {x, maker_.number(attention_.scale)});
    if (attention_.cap > 0) {
      const Value cap = maker_.number(attention_.cap);
      x = add("Mul", {add("Tanh", {add("Div", {x, cap})}), cap});
    }
    for (std::size_t i = 0; i < attention_.masks.size(); ++i)
      x = masked(x, attention_.masks[i], inputs[FusedAttention::kOperands + i]);
    if (attention_.window.hides())
      x = add("Where", {maker_.constant(seen_by_place(attention_)), x, maker_.number(kHidden)});
    return maker_.multiplied(attention_, shares(x), inputs[2]);
  }

 private:
  static constexpr float kHidden = -std::numeric_limits<float>::infinity();

  Value add(std::string_view op, const std::vector<Value>& inputs) {
    return maker_.add(op, inputs, {}, scores_);
  }

  Value keys(const Value& given) {
    if (!attention_.keys_by_rows) return given;
    Dims axes(keys_.dims.size());
    std::iota(axes.begin(), axes.end(), 0);
    TensorType turned = keys_;
    std::swap(axes[axes.size() - 2], axes.back());
    std::swap(turned.dims[axes.size() - 2], turned.dims.back());
    return maker_.add("Transpose", {given}, {{"perm", axes}}, turned);
  }

  Value masked(const Value& x, const AttentionMask& mask, const Value& given) {
    using Kind = AttentionMask::Kind;
    if (mask.kind == Kind::Add) return add("Add", {x, given});
    const Value fill = maker_.number(mask.fill);
    return mask.kind == Kind::Keep ? add("Where", {given, x, fill})
                                   : add("Where", {given, fill, x});
  }

  Value shares(const Value& x) {
    Value shares = maker_.add("Softmax", {x}, {{"axis", std::int64_t{-1}}}, scores_);
    const auto zeroed = [&](const Value& where) {
      shares = add("Where", {where, maker_.number(0), shares});
    };
    if (attention_.undefined_is_zero)
      zeroed(maker_.add("IsNaN", {shares}, {}, {ElementType::Bool, scores_.dims}));
    if (attention_.skips_hidden) {
      TensorType line = scores_;
      line.dims.back() = 1;
      const Value axes = maker_.constant(Tensor::of<std::int64_t>({1}, {-1}));
      const Value largest = maker_.add("ReduceMax", {x, axes}, {}, line);
      line.element = ElementType::Bool;
      zeroed(maker_.add("Equal", {largest, maker_.number(kHidden)}, {}, line));
    }
    return shares;
  }

  Maker maker_;
  const FusedAttention& attention_;
  TensorType keys_;
  TensorType scores_;
};

class TensorMaker {
 public:
  using Value = Tensor;
  explicit TensorMaker(ElementType element) : element_(element) {}

  Tensor add(std::string_view op, const std::vector<Tensor>& inputs, const Attributes& attributes,
             const TensorType&) {
    return evaluate(op, attributes, inputs)[0];
  }
  Tensor number(float x) { return add("Cast", {Tensor::scalar(x)}, cast_, {}); }
  static Tensor constant(Tensor tensor) { return tensor; }
  Tensor multiplied(const FusedAttention& attention, const Tensor& shares, const Tensor& values) {
    return attention.skips_hidden ? weighed(attention, shares, values)
                                  : add("MatMul", {shares, values}, {}, {});
  }

 private:
  ElementType element_;
  Attributes cast_ = {{"to", onnx_type(element_)}};
};

class NodeMaker {
 public:
  using Value = ValueId;
  explicit NodeMaker(Expansion& expansion) : expansion_(expansion) {}

  ValueId add(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
              const TensorType& type) {
    return expansion_.add(op, std::move(inputs), std::move(attributes), type);
  }
  ValueId number(float x) { return expansion_.number(x); }
  ValueId constant(Tensor tensor) { return expansion_.constant(std::move(tensor)); }
  ValueId multiplied(const FusedAttention&, ValueId shares, ValueId values) {
    return expansion_.add("MatMul", {shares, values});
  }

 private:
  Expansion& expansion_;
};

std::vector<Tensor> evaluate_fused_attention(const OpCall& call, std::span<const Tensor> inputs) {
  const ElementType element = call.input(0).element;
  const FusedAttention attention = fused_attention(call);
  return {InPlainOperators(TensorMaker(element), attention, call.input(1)).made(inputs)};
}

/// What is NaN or infinite among the values of hidden keys shows in plain operators.
GraphEdit expand_fused_attention(const Graph& graph, NodeId id) {
  Expansion expansion(graph, id);
  const OpCall call = call_of(graph, expansion.node());
  const FusedAttention attention = fused_attention(call);
  InPlainOperators plain(NodeMaker(expansion), attention, call.input(1));
  return expansion.finish(plain.made(expansion.node().inputs));
}

}  // namespace

std::int64_t AttentionWindow::first(std::int64_t row, std::int64_t keys) const {
  return before < 0 ? 0 : std::clamp<std::int64_t>(row + offset - before, 0, keys);
}

std::int64_t AttentionWindow::end(std::int64_t row, std::int64_t keys) const {
  return after < 0 ? keys : std::clamp<std::int64_t>(row + offset + after + 1, 0, keys);
}

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
  attention.keys_by_rows = call.attributes->integer("keys_by_rows", 0) != 0;
  const auto [before, last] = std::pair(k[k.size() - 2], k.back());
  attention.keys = attention.keys_by_rows ? before : last;
  attention.columns = v.back();
  attention.batch = broadcast(call.op, leading(q), leading(k));
  if ((attention.keys_by_rows ? last : before) != attention.depth ||
      v[v.size() - 2] != attention.keys ||
      broadcast(call.op, attention.batch, leading(v)) != attention.batch)
    reject_fused(call, "does not fit together");
  const ElementType element = call.input(0).element;
  if (call.input(1).element != element || call.input(2).element != element)
    reject_fused(call, "needs operands of one type");
  attention.scale = call.attributes->real("scale", 1);
  attention.cap = call.attributes->real("cap", 0);
  attention.undefined_is_zero = call.attributes->integer("undefined_is_zero", 0) != 0;
  attention.skips_hidden = call.attributes->integer("skips_hidden", 0) != 0;
  attention.window = read_window(call, checked_add(attention.rows, attention.keys));
  if (attention.window.hides() && !attention.skips_hidden)
    reject_fused(call, "has a window, but does not skip what that hides");
  attention.masks = read_masks(call);
  check_masks(call, attention);
  return attention;
}

Attributes fused_attention_attributes(const FusedAttention& attention) {
  Attributes attributes;
  if (attention.keys_by_rows) attributes.set("keys_by_rows", std::int64_t{1});
  if (attention.scale != 1) attributes.set("scale", attention.scale);
  if (attention.cap != 0) attributes.set("cap", attention.cap);
  if (attention.undefined_is_zero) attributes.set("undefined_is_zero", std::int64_t{1});
  if (attention.skips_hidden) attributes.set("skips_hidden", std::int64_t{1});
  if (attention.window.hides()) {
    attributes.set("offset", attention.window.offset);
    attributes.set("before", attention.window.before);
    attributes.set("after", attention.window.after);
  }
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
  def.attributes = {{"after", AttributeKind::Integer},
                    {"before", AttributeKind::Integer},
                    {"cap", AttributeKind::Real},
                    {"fills", AttributeKind::Reals},
                    {"keys_by_rows", AttributeKind::Integer},
                    {"masks", AttributeKind::Texts},
                    {"offset", AttributeKind::Integer},
                    {"scale", AttributeKind::Real},
                    {"skips_hidden", AttributeKind::Integer},
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
