#pragma once

#include <braid/tensor.h>

namespace braid {

/// How far one tensor is from a reference of the same type. NaN differs from everything but NaN,
/// and an infinity from everything but itself; such a difference counts as infinite.
struct Difference {
  double max_abs = 0;
  double largest = 0;  ///< the largest finite magnitude in the reference
  bool identical = false;

  /// The largest difference, relative to the reference's largest element.
  double max_rel() const;
  bool within(double absolute, double relative) const {
    return max_abs <= absolute + relative * largest;
  }
};

/// True if every element is within absolute + relative × |reference| of its reference; an infinity
/// only of itself. Throws Mismatch if the types differ.
bool all_close(const Tensor& tensor, const Tensor& reference, double absolute, double relative);

/// Throws Mismatch if the types differ.
Difference difference(const Tensor& tensor, const Tensor& reference);

/// Whether all bits are equal but those of NaNs: which of two NaNs a processor keeps depends on the
/// order in which the compiler names them.
bool same_numbers(const Tensor& a, const Tensor& b);

}  // namespace braid
