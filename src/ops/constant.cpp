#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/elementwise.h"

namespace braid {
namespace {

Tensor constant_of(const Attributes& attributes) {
  if (attributes.size() != 1)
    raise(ErrorKind::Model,
          fmt::format("Constant has {} attributes, expected one value", attributes.size()));
  if (attributes.has("value")) return attributes.tensor("value").aligned();
  if (attributes.has("value_int")) return Tensor::scalar(attributes.integer("value_int", 0));
  if (attributes.has("value_float")) return Tensor::scalar(attributes.real("value_float", 0));
  if (attributes.has("value_ints")) {
    const auto list = attributes.integers("value_ints");
    return Tensor::of<std::int64_t>({static_cast<std::int64_t>(list.size())}, std::span(list));
  }
  if (attributes.has("value_floats")) {
    const auto list = attributes.reals("value_floats");
    return Tensor::of<float>({static_cast<std::int64_t>(list.size())}, std::span(list));
  }
  raise(ErrorKind::Unsupported, "Constant holds text; text tensors are not supported");
}

OpDef constant_row() {
  OpDef def;
  def.name = "Constant";
  def.versions = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25};
  def.min_inputs = def.max_inputs = 0;
  def.attributes = {{"value", AttributeKind::Tensor},        {"value_int", AttributeKind::Integer},
                    {"value_ints", AttributeKind::Integers}, {"value_float", AttributeKind::Real},
                    {"value_floats", AttributeKind::Reals},  {"value_string", AttributeKind::Text},
                    {"value_strings", AttributeKind::Texts}};
  def.infer = [](const OpCall& call) {
    return std::vector<TensorType>{constant_of(*call.attributes).type()};
  };
  def.evaluate = [](const OpCall& call, std::span<const Tensor>) {
    return std::vector{constant_of(*call.attributes)};
  };
  return def;
}

Tensor fill_value(const OpCall& call) {
  Tensor value = call.attributes->tensor("value");
  if (!value.defined()) return Tensor::scalar(0.0F);
  if (value.elements() != 1)
    raise(ErrorKind::Model,
          fmt::format("the value of ConstantOfShape has shape {}, expected one element",
                      to_string(value.dims())));
  return value.aligned();
}

std::vector<TensorType> infer_constant_of_shape(const OpCall& call) {
  return {{fill_value(call).element(), call.known_integers(0, "the shape")}};
}

std::vector<Tensor> evaluate_constant_of_shape(const OpCall& call, std::span<const Tensor>) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const Tensor value = fill_value(call);
  dispatch_size(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(reinterpret_cast<T*>(out.mutable_bytes().data()), out.elements(),
                *reinterpret_cast<const T*>(value.bytes().data()));
  });
  return {out};
}

constexpr ElementSet kRanged = kFloats | ElementType::I16 | ElementType::I32 | ElementType::I64;

/// ceil((limit - start) / delta), at least 0.
template <class C>
std::int64_t steps_between(C start, C limit, C delta) {
  if (delta == C{0}) raise(ErrorKind::Model, "the delta of Range is 0");
  if constexpr (std::integral<C>) {
    if (delta > 0 ? limit <= start : limit >= start) return 0;
    const auto distance = [](std::int64_t from, std::int64_t to) {
      return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    };
    const std::uint64_t whole = delta > 0 ? distance(start, limit) : distance(limit, start);
    const std::uint64_t step = delta > 0 ? distance(0, delta) : distance(delta, 0);
    // A count past 63 bits becomes the largest integer, which no shape allows.
    const std::uint64_t more = (whole - 1) / step;
    return more >= static_cast<std::uint64_t>(INT64_MAX) ? INT64_MAX
                                                         : static_cast<std::int64_t>(more) + 1;
  } else {
    const double count = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                   static_cast<double>(delta));
    if (std::isnan(count)) raise(ErrorKind::Model, "the bounds of Range are not numbers");
    return convert<std::int64_t>(std::max(count, 0.0));
  }
}

std::vector<TensorType> infer_range(const OpCall& call) {
  const ElementType element = common_element(call);
  for (const std::size_t i : {0U, 1U, 2U})
    if (element_count(call.input(i)) != 1)
      raise(ErrorKind::Model, fmt::format("input {} of Range has shape {}, expected a scalar", i,
                                          to_string(call.dims(i))));
  std::int64_t count = 0;
  dispatch_in<kRanged>(element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto bound = [&](std::size_t i, std::string_view what) {
      return load(call.known_input(i, what).aligned().template data<T>()[0]);
    };
    count = steps_between(bound(0, "the start"), bound(1, "the limit"), bound(2, "the delta"));
  });
  return {{element, {count}}};
}

std::vector<Tensor> evaluate_range(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_in<kRanged>(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const C start = load(inputs[0].data<T>()[0]);
    const C delta = load(inputs[2].data<T>()[0]);
    const auto to = out.mutable_data<T>();
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = store<T>(add(start, multiply(static_cast<C>(i), delta)));
  });
  return {out};
}

}  // namespace

std::vector<OpDef> constant_ops() {
  OpDef of_shape;
  of_shape.name = "ConstantOfShape";
  of_shape.versions = {9, 20, 21, 23, 24, 25};
  of_shape.attributes = {{"value", AttributeKind::Tensor}};
  of_shape.types = set_of(ElementType::I64);
  of_shape.infer = infer_constant_of_shape;
  of_shape.evaluate = evaluate_constant_of_shape;

  OpDef range;
  range.name = "Range";
  range.versions = {11, 27};
  range.min_inputs = range.max_inputs = 3;
  range.attributes = {{"stash_type", AttributeKind::Integer}};
  range.types = kRanged;
  range.infer = infer_range;
  range.work = one_flop_each;
  range.evaluate = evaluate_range;
  return {constant_row(), of_shape, range};
}

}  // namespace braid
