#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/elementwise.h"
#include "ops/shared/step.h"

namespace braid {
namespace {

Work flops_of_all(const OpCall& call) {
  return {.flops = static_cast<double>(element_count(call.outputs[0])) *
                   static_cast<double>(call.inputs.size())};
}

/// Folds the inputs from the left in the compute type; `Finish` sees the result and their number.
template <class T, class F, class Finish>
Tensor fold(std::span<const Tensor> inputs, const TensorType& type) {
  using C = Compute<T>;
  const auto count = static_cast<std::size_t>(element_count(type));
  std::vector<std::conditional_t<std::is_same_v<C, T>, char, C>> wide;
  Tensor out = Tensor::uninitialised(type);
  C* sum = nullptr;
  if constexpr (std::is_same_v<C, T>) {
    sum = out.mutable_data<T>().data();
  } else {
    wide.resize(count);
    sum = wide.data();
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const T* in = inputs[k].data<T>().data();
    C* to = sum;
    each_row(type.dims, {broadcast_strides(inputs[k].dims(), type.dims)},
             [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t row) {
               const T* from = in + offsets[0];
               if (k == 0)
                 for (std::int64_t i = 0; i < row; ++i) to[i] = load(from[i * steps[0]]);
               else if (steps[0] == 1)
                 for (std::int64_t i = 0; i < row; ++i) to[i] = F{}(to[i], load(from[i]));
               else
                 for (std::int64_t i = 0; i < row; ++i)
                   to[i] = F{}(to[i], load(from[i * steps[0]]));
               to += row;
             });
  }
  T* result = out.mutable_data<T>().data();
  for (std::size_t i = 0; i < count; ++i) result[i] = store<T>(Finish{}(sum[i], inputs.size()));
  return out;
}

struct Keep {
  template <class C>
  C operator()(C x, std::size_t) const {
    return x;
  }
};

struct DivideByCount {
  template <class C>
  C operator()(C x, std::size_t count) const {
    return x / static_cast<C>(count);
  }
};

template <ElementSet Types, class Finish, class F>
OpDef variadic_row(std::string_view name, std::vector<int> versions, F) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.types = Types;
  def.max_inputs = kVariadic;
  def.infer = [](const OpCall& call) {
    for (std::size_t i = 0; i < call.inputs.size(); ++i) call.input(i);
    return std::vector<TensorType>{{common_element(call), broadcast(call)}};
  };
  def.work = flops_of_all;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    std::vector<Tensor> out;
    dispatch_in<Types>(call.outputs[0].element, [&](auto tag) {
      out.push_back(fold<typename decltype(tag)::type, F, Finish>(inputs, call.outputs[0]));
    });
    return out;
  };
  return def;
}

}  // namespace

std::vector<OpDef> variadic_ops() {
  return {
      variadic_row<kFloats, Keep>("Sum", {1, 6, 8, 13}, [](auto a, auto b) { return add(a, b); }),
      variadic_row<kFloats, DivideByCount>("Mean", {1, 6, 8, 13},
                                           [](auto a, auto b) { return add(a, b); }),
      as_step(variadic_row<kNumbers, Keep>("Min", {1, 6, 8, 12, 13},
                                           [](auto a, auto b) { return smaller(a, b); })),
      as_step(variadic_row<kNumbers, Keep>("Max", {1, 6, 8, 12, 13},
                                           [](auto a, auto b) { return larger(a, b); })),
  };
}

}  // namespace braid
