#pragma once

#include <utility>

#include "ops/op.h"
#include "ops/shared/broadcast.h"
#include "tensor/element.h"

/// What the elementwise families share. An operator is a row: its facts and a stateless function
/// object on one element (or one pair), generic in the element type. Small floats come as float.

namespace braid {

inline std::vector<TensorType> same_type(const OpCall& call) { return {call.input(0)}; }

inline Work one_flop_each(const OpCall& call) {
  return {.flops = static_cast<double>(element_count(call.outputs[0]))};
}

/// Calls `f(ElementTag<T>{})` if the type is in `Types`; the catalogue's check ensures that it is.
template <ElementSet Types, class F>
void dispatch_in(ElementType type, F&& f) {
  dispatch(type, [&](auto tag) {
    if constexpr ((Types & set_of(ElementOf<typename decltype(tag)::type>::value)) != 0)
      f(tag);
    else
      raise(ErrorKind::Internal, "an operator met an element type that it is not defined on");
  });
}

/// out[i] = f(in[i]); Out is void for the input's own type.
template <ElementSet Types, class Out, class F>
Tensor map_each(const Tensor& in, const TensorType& type, const F& f) {
  Tensor out = Tensor::uninitialised(type);
  dispatch_in<Types>(in.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using R = std::conditional_t<std::is_void_v<Out>, T, Out>;
    const auto from = in.data<T>();
    const auto to = out.mutable_data<R>();
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = store<R>(f(load(from[i])));
  });
  return out;
}

/// out = f(a, b) with broadcasting, elements of type A and B.
template <class A, class B, class R, class F>
void map_pairs(const Tensor& a, const Tensor& b, Tensor& out, const F& f) {
  const A* x = a.data<A>().data();
  const B* y = b.data<B>().data();
  R* to = out.mutable_data<R>().data();
  each_pair_of_rows(
      a.dims(), b.dims(), out.dims(),
      [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
        const A* p = x + offsets[0];
        const B* q = y + offsets[1];
        if (steps[0] == 1 && steps[1] == 1)
          for (std::int64_t i = 0; i < count; ++i) to[i] = store<R>(f(load(p[i]), load(q[i])));
        else
          for (std::int64_t i = 0; i < count; ++i)
            to[i] = store<R>(f(load(p[i * steps[0]]), load(q[i * steps[1]])));
        to += count;
      });
}

}  // namespace braid
