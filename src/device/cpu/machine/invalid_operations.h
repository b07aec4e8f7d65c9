#pragma once

#include <xmmintrin.h>

namespace braid::cpu {

/// Whether the calling thread has met an invalid operation since this was made: one that makes NaN
/// of numbers (inf - inf, 0 * inf), or a maximum, a minimum or an ordered comparison of NaN. The
/// processor notes it without being asked, so that NaN need not be looked for.
class InvalidOperations {
 public:
  InvalidOperations() {
    if (const unsigned control = _mm_getcsr(); (control & kMet) != 0) _mm_setcsr(control & ~kMet);
  }

  bool met() const { return (_mm_getcsr() & kMet) != 0; }

 private:
  static constexpr unsigned kMet = 0x0001;
};

}  // namespace braid::cpu
