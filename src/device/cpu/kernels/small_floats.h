#pragma once

#include <bit>
#include <cstdint>

#include "tensor/element.h"

namespace braid::cpu {

// Conversions between float32 and its two halves without a branch, so that a compiler makes vectors
// of them on every instruction set. They give the bits of to_float(), to_float16() and
// to_bfloat16() also where denormal numbers are zero to arithmetic.

struct Widened {
  [[gnu::always_inline]] static float of(Float16 x) {
    const std::uint32_t bits = x.bits;
    const std::uint32_t magnitude = bits & 0x7fffU;
    const std::uint32_t rebias = (magnitude >= 0x7c00U ? 224U : 112U) << 23;
    const std::uint32_t normal = (magnitude << 13) + rebias;
    // A denormal half is a whole number of 2^-24, which float32 has as a normal number.
    const float tiny = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F;
    const auto denormal = std::bit_cast<std::uint32_t>(tiny);
    return std::bit_cast<float>((magnitude < 0x400U ? denormal : normal) | (bits & 0x8000U) << 16);
  }
  [[gnu::always_inline]] static float of(BFloat16 x) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
  }
};

template <class To>
struct Narrowed;

template <>
struct Narrowed<Float16> {
  [[gnu::always_inline]] static Float16 of(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    const std::uint32_t normal = (magnitude + 0xfffU + (magnitude >> 13 & 1U) - (112U << 23)) >> 13;
    // The last bit of a number in [0.5, 1) weighs 2^-24, as that of a denormal half.
    const std::uint32_t denormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
    const std::uint32_t finite = magnitude < 0x38800000U ? denormal : normal;
    const std::uint32_t beyond = magnitude > 0x7f800000U ? 0x7e00U : 0x7c00U;
    const std::uint32_t half = magnitude >= 0x47800000U ? beyond : finite;
    return {static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000U))};
  }
};

template <>
struct Narrowed<BFloat16> {
  [[gnu::always_inline]] static BFloat16 of(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
    const std::uint32_t nan = bits >> 16 | 0x40U;
    return {static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? nan : rounded)};
  }
};

}  // namespace braid::cpu
