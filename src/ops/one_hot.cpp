#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/axes.h"

namespace braid {
namespace {

/// Numbers of any type as integers.
std::vector<std::int64_t> truncated(const Tensor& tensor) {
  std::vector<std::int64_t> out;
  dispatch(tensor.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Tensor aligned = tensor.aligned();
    for (const T x : aligned.data<T>()) out.push_back(convert<std::int64_t>(load(x)));
  });
  return out;
}

std::int64_t one_hot_axis(const OpCall& call) {
  return normal_axis(call.op, call.attributes->integer("axis", -1), call.rank(0) + 1);
}

std::vector<TensorType> infer_one_hot(const OpCall& call) {
  if (element_count(call.input(1)) != 1)
    raise(ErrorKind::Model, fmt::format("the depth of OneHot has shape {}, expected one number",
                                        to_string(call.dims(1))));
  if (call.dims(2) != Dims{2})
    raise(ErrorKind::Model,
          fmt::format("the values of OneHot have shape {}, expected [2]", to_string(call.dims(2))));
  const std::int64_t depth = truncated(call.known_input(1, "the depth"))[0];
  if (depth < 0) raise(ErrorKind::Model, fmt::format("the depth of OneHot is {}", depth));
  Dims dims = call.dims(0);
  dims.insert(dims.begin() + one_hot_axis(call), depth);
  return {{call.input(2).element, dims}};
}

std::vector<Tensor> evaluate_one_hot(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const AxisView view = view_along(out.dims(), one_hot_axis(call));
  const std::vector<std::int64_t> indices = truncated(inputs[0]);
  dispatch_size(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* values = reinterpret_cast<const T*>(inputs[2].bytes().data());
    T* to = reinterpret_cast<T*>(out.mutable_bytes().data());
    std::fill_n(to, out.elements(), values[0]);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      std::int64_t index = indices[i];
      if (index < -view.length || index >= view.length) continue;
      if (index < 0) index += view.length;
      const auto block = static_cast<std::int64_t>(i) / view.inner;
      const auto column = static_cast<std::int64_t>(i) % view.inner;
      to[(block * view.length + index) * view.inner + column] = values[1];
    }
  });
  return {out};
}

}  // namespace

std::vector<OpDef> one_hot_ops() {
  OpDef def;
  def.name = "OneHot";
  def.versions = {9, 11, 28};
  def.min_inputs = def.max_inputs = 3;
  def.attributes = {{"axis", AttributeKind::Integer}};
  def.types = kNumbers;
  def.infer = infer_one_hot;
  def.evaluate = evaluate_one_hot;
  return {def};
}

}  // namespace braid
