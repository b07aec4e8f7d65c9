#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace braid {

/// Chances for one random use of an operator. The same operator and index give the same draw.
/// Every sixth draw tends to axes of length zero, every sixth to the lowest rank there is, and
/// every second holds small whole numbers only, on which sums and products are exact. Of the others
/// some hold extremes: the ends of integer types and, if allowed, infinities and NaN.
class Draw {
 public:
  Draw(std::string_view op, int index, bool infinities);

  bool whole() const { return whole_; }

  /// A whole number, both ends included.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  float real(float low, float high);
  bool chance(double share = 0.5);
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[integer(0, std::ssize(list) - 1)];
  }
  std::string text_of(std::initializer_list<std::string_view> list) {
    return std::string(one_of(list));
  }

  /// An element type: float as often as all others of the set together.
  ElementType element(ElementSet types);
  /// The length of an axis that may be empty, or of one that may not.
  std::int64_t extent(std::int64_t high = 4);
  std::int64_t full_extent(std::int64_t high = 4) { return integer(1, high); }
  Dims dims(std::int64_t lowest_rank, std::int64_t highest_rank);
  /// A shape that broadcasts to `to`: leading axes are missing, others have length 1.
  Dims broadcasting_to(const Dims& to);

  /// An axis, counted from the front or from the back.
  std::int64_t axis(std::int64_t rank) { return integer(-rank, rank - 1); }
  /// Some of the axes, each once, in any order.
  std::vector<std::int64_t> axes(std::int64_t rank);
  std::vector<std::int64_t> integers(std::int64_t count, std::int64_t low, std::int64_t high);

  /// Small whole numbers, or anything that the type holds.
  Tensor tensor(ElementType element, const Dims& dims);
  Tensor tensor(const TensorType& type) { return tensor(type.element, type.dims); }
  /// Whole numbers from `low` to `high`.
  Tensor tensor_between(ElementType element, const Dims& dims, std::int64_t low, std::int64_t high);
  /// Indices of an axis, counted from the front or from the back, as i32 or i64.
  Tensor indices(const Dims& dims, std::int64_t length);
  ElementType index_type() { return one_of({ElementType::I64, ElementType::I32}); }

 private:
  enum class Leaning { None, Empty, LowRank };
  float special();

  std::mt19937 random_;
  Leaning leaning_;
  bool whole_;
  bool extreme_;
  bool infinities_;
};

/// The place of an axis that may be counted from the back.
inline std::size_t from_front(std::int64_t axis, const Dims& dims) {
  return static_cast<std::size_t>(axis < 0 ? axis + std::ssize(dims) : axis);
}

/// A list of integers as shapes and axes are given.
Tensor list(const std::vector<std::int64_t>& elements);

}  // namespace braid
