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

/// The nearest whole number, the even one of two.
[[gnu::always_inline]] inline float round_half_even(float x) {
  constexpr float shifter = 8388608.0F;  // 2^23: from there on all floats are whole numbers
  const float size = __builtin_fabsf(x);
  const float whole = __builtin_copysignf((size + shifter) - shifter, x);
  return size < shifter ? whole : x;
}
[[gnu::always_inline]] inline float round_down(float x) {
  const float whole = round_half_even(x);
  return whole > x ? whole - 1 : whole;
}
/// What is rounded to zero keeps its sign.
[[gnu::always_inline]] inline float round_up(float x) {
  const float whole = round_half_even(x);
  return whole < x ? __builtin_copysignf(whole + 1, x) : whole;
}

/// log(2^power * (1 + f)), for an f between -1/3 and 1/3. With s = f / (f + 2) it is
/// power log(2) + 2 artanh(s), whose first term, 2 s, is written as f - s f for its last bits.
[[gnu::always_inline]] inline float logarithm_of(float power, float f) {
  const float s = f / (f + 2);
  const float t = s * s;
  float p = 2.0F / 9;
  p = p * t + 2.0F / 7;
  p = p * t + 2.0F / 5;
  p = p * t + 2.0F / 3;
  const float half = 0.5F * f * f;
  const float low = s * (half + p * t) + power * -2.12194440e-4F;
  return power * 0.693359375F + (f - (half - low));
}

/// Denormal numbers count as zero.
[[gnu::always_inline]] inline float logarithm(float x) {
  constexpr float infinity = __builtin_inff();
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const auto power = static_cast<std::int32_t>(bits - 0x3F2AAAABU) >> 23;  // of 2/3 to 4/3
  const auto fraction = bits - (static_cast<std::uint32_t>(power) << 23U);
  const float y = logarithm_of(static_cast<float>(power), __builtin_bit_cast(float, fraction) - 1);
  const float of_none = x < 0 ? __builtin_nanf("") : -infinity;
  const float of_any = x < infinity ? y : x;
  return x < 0x1p-126F ? of_none : of_any;
}

/// log(1 + exp(x))
[[gnu::always_inline]] inline float soft_plus(float x) {
  const float e = exponential(-__builtin_fabsf(x));
  const bool is_small = e < 1.0F / 3;
  const float power = is_small ? 0 : 1;
  const float more = logarithm_of(power, is_small ? e : (e - 1) * 0.5F);
  return (x < 0 ? 0 : x) + more;
}

/// An angle in quarters of a turn, the nearest whole number, and what is left of it.
struct Angle {
  std::uint32_t quarters;
  float rest;
};

/// The largest angle of which the whole quarters, in two factors, are exact in double.
inline constexpr float kLargestAngle = 1e6F;

[[gnu::always_inline]] inline Angle split_angle(float x) {
  constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52, as in split_exponential
  const double shifted = static_cast<double>(x) * 0.6366197723675814 + shifter;
  const double whole = shifted - shifter;
  const double high = static_cast<double>(x) - whole * 1.5707963267341256;
  return {static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, shifted)),
          static_cast<float>(high - whole * 6.077100506506192e-11)};
}

[[gnu::always_inline]] inline float sine_of(Angle angle) {
  const float r = angle.rest;
  const float t = r * r;
  float p = 1.0F / 362880;
  p = p * t - 1.0F / 5040;
  p = p * t + 1.0F / 120;
  p = p * t - 1.0F / 6;
  const float sine = r + r * t * p;
  float q = 1.0F / 40320;
  q = q * t - 1.0F / 720;
  q = q * t + 1.0F / 24;
  const float cosine = (1 - 0.5F * t) + t * t * q;
  const float size = (angle.quarters & 1U) != 0 ? cosine : sine;
  const std::uint32_t sign = (angle.quarters & 2U) << 30U;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, size) ^ sign);
}
/// For angles up to kLargestAngle.
[[gnu::always_inline]] inline float sine(float x) { return sine_of(split_angle(x)); }
[[gnu::always_inline]] inline float cosine(float x) {
  const Angle angle = split_angle(x);
  return sine_of({angle.quarters + 1, angle.rest});
}

}  // namespace braid::cpu
