#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include <braid/tensor.h>

namespace braid {

/// An element as it is: whole numbers of 64 bits do not fit a double.
using Number = std::variant<double, std::int64_t, std::uint64_t>;

/// An element of two tensors.
struct ElementPair {
  Dims index;
  Number got;
  Number expected;
};

/// How many elements of a tensor are no numbers that one can compute with.
struct NotFinite {
  std::int64_t nan = 0;
  std::int64_t infinite = 0;
};

/// Which elements of a tensor are farther from a reference than they may be.
struct Mismatch {
  std::int64_t count = 0;
  std::optional<ElementPair> first = {};
  std::optional<ElementPair> worst = {};  ///< a NaN or infinity that the other has not, if any
  double largest_finite = 0;  ///< difference of two finite elements, whether it is allowed or not
  NotFinite got = {};
  NotFinite expected = {};
};

/// Elements count that are more than `allowed` apart; NaN differs from everything but NaN, and an
/// infinity from everything but itself. Throws Mismatch if the types differ.
Mismatch mismatch(const Tensor& tensor, const Tensor& reference, double allowed);

}  // namespace braid
