#include <limits>

#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/elementwise.h"

namespace braid {
namespace {

constexpr float kNoLimit = std::numeric_limits<float>::infinity();

std::vector<TensorType> infer_where(const OpCall& call) {
  if (call.input(0).element != ElementType::Bool)
    raise(ErrorKind::Model, fmt::format("the condition of Where has type {}, expected bool",
                                        name(call.input(0).element)));
  return {{common_element(call, 1), broadcast(call)}};
}

std::vector<Tensor> evaluate_where(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const Dims& dims = out.dims();
  const bool* condition = inputs[0].data<bool>().data();
  dispatch_size(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = reinterpret_cast<const T*>(inputs[1].bytes().data());
    const T* y = reinterpret_cast<const T*>(inputs[2].bytes().data());
    T* to = reinterpret_cast<T*>(out.mutable_bytes().data());
    each_row(dims,
             {broadcast_strides(inputs[0].dims(), dims), broadcast_strides(inputs[1].dims(), dims),
              broadcast_strides(inputs[2].dims(), dims)},
             [&](const auto& at, const auto& steps, std::int64_t count) {
               for (std::int64_t i = 0; i < count; ++i)
                 to[i] = condition[at[0] + i * steps[0]] ? x[at[1] + i * steps[1]]
                                                         : y[at[2] + i * steps[2]];
               to += count;
             });
  });
  return {out};
}

std::vector<TensorType> infer_clip(const OpCall& call) {
  common_element(call);
  for (const std::size_t i : {1U, 2U})
    if (call.has(i) && element_count(call.input(i)) != 1)
      raise(ErrorKind::Model, fmt::format("the bounds of Clip are single numbers, got shape {}",
                                          to_string(call.dims(i))));
  return {call.input(0)};
}

/// Where the two bounds cross the upper one wins, as in NumPy.
std::vector<Tensor> evaluate_clip(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_in<kNumbers>(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const auto bound = [&](std::size_t i) { return load(inputs[i].data<T>()[0]); };
    const C low = call.has(1) ? bound(1) : C{};
    const C high = call.has(2) ? bound(2) : C{};
    const auto from = inputs[0].data<T>();
    const auto to = out.mutable_data<T>();
    for (std::size_t i = 0; i < from.size(); ++i) {
      C x = load(from[i]);
      if (call.has(1)) x = larger(x, low);
      if (call.has(2)) x = smaller(x, high);
      to[i] = store<T>(x);
    }
  });
  return {out};
}

}  // namespace

std::vector<OpDef> select_ops() {
  OpDef where;
  where.name = "Where";
  where.versions = {9, 16};
  where.min_inputs = where.max_inputs = 3;
  where.typed_input = 1;
  where.infer = infer_where;
  where.evaluate = evaluate_where;

  OpDef clip;
  clip.name = "Clip";
  clip.versions = {1, 6, 11, 12, 13};
  clip.max_inputs = 3;
  clip.special_numbers =
      "without a bound an infinity stays; ONNX Runtime makes the largest finite "
      "number of it";
  clip.types = kNumbers;
  clip.infer = infer_clip;
  clip.work = one_flop_each;
  clip.evaluate = evaluate_clip;
  clip.activations = {{.name = "clip",
                       .step = "Clip",
                       .alpha = -kNoLimit,
                       .beta = kNoLimit,
                       .on_integers = true,
                       .of = [](double x, float lowest, float highest) {
                         return smaller(larger(x, double{lowest}), double{highest});
                       }}};
  return {where, clip};
}

}  // namespace braid
