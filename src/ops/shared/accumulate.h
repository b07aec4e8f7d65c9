#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tensor/element.h"

namespace braid {

/// The type in which products of T are summed: float or double for floats. Integers are summed
/// modulo 2^64, so that overflow is defined and the low bits are those of the exact sum.
template <class T>
using Accumulator = std::conditional_t<std::is_integral_v<T>, std::uint64_t, Compute<T>>;

/// The elements of a tensor as accumulators; a view where they already are.
template <class T>
class Widened {
 public:
  using Sum = Accumulator<T>;

  explicit Widened(std::span<const T> elements) {
    if constexpr (std::is_same_v<T, Sum>) {
      view_ = elements;
    } else {
      copy_.reserve(elements.size());
      for (const T& x : elements) copy_.push_back(static_cast<Sum>(load(x)));
      view_ = copy_;
    }
  }
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;

  const Sum* data() const { return view_.data(); }
  Sum operator[](std::size_t i) const { return view_[i]; }
  std::size_t size() const { return view_.size(); }

 private:
  std::vector<Sum> copy_;
  std::span<const Sum> view_;
};

/// The elements of a tensor of any type as numbers of type C.
template <class C>
std::vector<C> numbers(const Tensor& tensor) {
  std::vector<C> out;
  dispatch(tensor.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto data = tensor.data<T>();
    out.reserve(data.size());
    for (const T& x : data) out.push_back(static_cast<C>(load(x)));
  });
  return out;
}

}  // namespace braid
