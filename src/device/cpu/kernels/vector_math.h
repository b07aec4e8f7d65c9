#pragma once

#include <cstdint>

/// Functions of one number, written so that compilers make loops over them into vector code. What
/// is not a number stays so.
namespace braid::cpu {

/// exp(x) = (1 + fraction) * 2^power
struct Power {
  float fraction;
  std::uint32_t power;
};

/// Splits the exponential of an x between -104 and 89, or of NaN.
[[gnu::always_inline]] inline Power split_exponential(float x) {
  constexpr float shifter = 12582912.0F;  // 1.5 * 2^23: the sum's last bits are a whole number
  const float shifted = x * 1.44269504F + shifter;
  const float whole = shifted - shifter;
  const float high = x - whole * 0.693145752F;
  const float f = high - whole * 1.42860682e-06F;
  float p = 1.98412698e-4F;
  p = p * f + 1.38888889e-3F;
  p = p * f + 8.33333333e-3F;
  p = p * f + 4.16666667e-2F;
  p = p * f + 1.66666667e-1F;
  p = p * f + 0.5F;
  const float fraction = p * f * f + f;
  return {fraction, __builtin_bit_cast(std::uint32_t, shifted) - 0x4B400000U};
}

/// 2^n, for n from -126 to 128, which is infinite. Only the last nine bits of n count.
[[gnu::always_inline]] inline float power_of_two(std::uint32_t n) {
  return __builtin_bit_cast(float, (n + 127U) << 23U);
}

[[gnu::always_inline]] inline float clamp(float x, float low, float high) {
  const float raised = x < low ? low : x;
  return raised > high ? high : raised;
}

[[gnu::always_inline]] inline float exponential(float x) {
  const Power e = split_exponential(clamp(x, -104, 89));
  // In two factors: 2^128 and what is below 2^-126 are no floats.
  const auto half = static_cast<std::uint32_t>(static_cast<std::int32_t>(e.power) >> 1);
  return (1 + e.fraction) * power_of_two(half) * power_of_two(e.power - half);
}

/// exp(x) for an x that is at most a little above 0; what would be denormal is 0.
[[gnu::always_inline]] inline float exponential_up_to_one(float x) {
  constexpr float least = -87;
  const Power e = split_exponential(x);
  const float scale = power_of_two(e.power);
  return x < least ? 0 : (1 + e.fraction) * scale;
}

[[gnu::always_inline]] inline float exponential_minus_one(float x) {
  const Power e = split_exponential(clamp(x, -87, 88));
  const float scale = power_of_two(e.power);
  return e.fraction * scale + (scale - 1);
}

/// 1 + exp(-x), in few operations: the error grows with |x| to 1e-5 of exp(-x), where that is too
/// small to matter or divides what becomes 0. Below -88 it is infinite.
[[gnu::always_inline]] inline float logistic_divisor(float x) {
  constexpr float shifter = 12582912.0F;  // as in split_exponential
  const float powers = clamp(x * -1.44269504F, -126, 128);
  const float shifted = powers + shifter;
  const float f = powers - (shifted - shifter);
  float p = 0.0013264727F;  // 2^f within 1.1e-7 for |f| <= 0.5
  p = p * f + 0.009671513F;
  p = p * f + 0.055507336F;
  p = p * f + 0.24022242F;
  p = p * f + 0.693147F;
  p = p * f + 1;
  return p * power_of_two(__builtin_bit_cast(std::uint32_t, shifted)) + 1;
}
[[gnu::always_inline]] inline float logistic(float x) { return 1 / logistic_divisor(x); }

[[gnu::always_inline]] inline float hyperbolic_tangent(float x) {
  const float m = exponential_minus_one(2 * clamp(x, -20, 20));
  return m / (m + 2);
}

/// The error function within 5e-7: an odd rational function, fitted where the result differs from
/// one. Beyond that it is larger than one, so that the result is one.
[[gnu::always_inline]] inline float error_function(float x) {
  const float c = clamp(x, -4.02F, 4.02F);
  const float t = c * c;
  float p = 2.06771581e-06F;
  p = p * t + 0.000283683349F;
  p = p * t + 0.00369528507F;
  p = p * t + 0.0525309673F;
  p = p * t + 0.188715587F;
  p = p * t + 1.12837916F;
  float q = 3.82124898e-05F;
  q = q * t + 0.00114623956F;
  q = q * t + 0.014827331F;
  q = q * t + 0.113415658F;
  q = q * t + 0.500577838F;
  q = q * t + 1;
  return clamp(c * p / q, -1, 1);
}

}  // namespace braid::cpu
