#pragma once

#include "device/cpu/machine/isa.h"

/// Round figures of a server core, for what has not been measured.
namespace braid::cpu {

inline constexpr double kCyclesPerUs = 2500;
/// From memory, by one core and by all.
inline constexpr double kBytesPerUsOfOne = 10'000;
inline constexpr double kBytesPerUsOfAll = 20'000;

/// Operations of one core, in float32.
constexpr double flops_per_us(Isa isa) {
  switch (isa) {
    case Isa::Avx512:
      return 64 * kCyclesPerUs;
    case Isa::Avx2:
      return 32 * kCyclesPerUs;
    case Isa::Baseline:
      break;
  }
  return 8 * kCyclesPerUs;
}

}  // namespace braid::cpu
