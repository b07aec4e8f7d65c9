#pragma once

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "tensor/element.h"

namespace braid {

/// How far apart two elements are: infinitely if one is NaN or infinite and the other is not the
/// same. Two 64-bit integers are 0 apart only if they are equal, also where a double cannot tell
/// them apart.
template <class T>
double distance_of(T a, T b) {
  const auto x = static_cast<double>(load(a));
  const auto y = static_cast<double>(load(b));
  if (std::isnan(x) && std::isnan(y)) return 0;
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::infinity();
  if constexpr (std::is_integral_v<T>) {
    if (a == b) return 0;
    const double apart = std::fabs(x - y);
    return apart == 0 ? 1 : apart;
  } else {
    return x == y ? 0 : std::fabs(x - y);
  }
}

/// Calls `f(number, element, element of the reference)` for all. Throws Mismatch if the types
/// differ.
template <class F>
void each_pair(const Tensor& tensor, const Tensor& reference, F f) {
  if (tensor.type() != reference.type())
    raise(ErrorKind::Mismatch, fmt::format("a tensor of type {} is compared with one of type {}",
                                           to_string(tensor.type()), to_string(reference.type())));
  const Tensor left = tensor.aligned();
  const Tensor right = reference.aligned();
  dispatch(tensor.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto a = left.data<T>();
    const auto b = right.data<T>();
    for (std::size_t i = 0; i < a.size(); ++i) f(i, a[i], b[i]);
  });
}

}  // namespace braid
