#include "tensor/element.h"

#include <array>
#include <cmath>

namespace braid {
namespace {

struct Row {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<Row, 13> kRows = {{{"f32", 4},
                                        {"f64", 8},
                                        {"f16", 2},
                                        {"bf16", 2},
                                        {"i8", 1},
                                        {"i16", 2},
                                        {"i32", 4},
                                        {"i64", 8},
                                        {"u8", 1},
                                        {"u16", 2},
                                        {"u32", 4},
                                        {"u64", 8},
                                        {"bool", 1}}};

/// The double rounded to a float so that a second rounding to fewer bits gives the right result:
/// round to odd.
float round_to_odd(double x) {
  const auto f = static_cast<float>(x);
  if (std::isnan(f) || static_cast<double>(f) == x) return f;
  auto bits = std::bit_cast<std::uint32_t>(f);
  const bool away = std::fabs(static_cast<double>(f)) > std::fabs(x);
  if (away) --bits;
  return std::bit_cast<float>(bits | 1U);
}

}  // namespace

std::string_view name(ElementType type) { return kRows[static_cast<std::size_t>(type)].name; }
std::int64_t byte_size(ElementType type) { return kRows[static_cast<std::size_t>(type)].bytes; }

std::optional<ElementType> element_named(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].name == name) return static_cast<ElementType>(i);
  return std::nullopt;
}

float to_float(Float16 x) {
  const std::uint32_t sign = (x.bits & 0x8000U) << 16;
  const std::uint32_t exponent = x.bits >> 10 & 0x1fU;
  const std::uint32_t mantissa = x.bits & 0x3ffU;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t widened = exponent == 0x1f ? 0xffU : exponent + 112;
  return std::bit_cast<float>(sign | widened << 23 | mantissa << 13);
}

float to_float(BFloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}

Float16 to_float16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return {static_cast<std::uint16_t>(sign | 0x7e00U)};
  if (magnitude >= 0x477ff000U) return {static_cast<std::uint16_t>(sign | 0x7c00U)};
  if (magnitude < 0x38800000U) {
    const float scaled = std::ldexp(std::bit_cast<float>(magnitude), 24);
    return {static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyint(scaled)))};
  }
  const std::uint32_t rounded = magnitude + 0xfffU + (magnitude >> 13 & 1U);
  return {static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112U << 10)))};
}

BFloat16 to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {static_cast<std::uint16_t>(bits >> 16 | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16)};
}

Float16 to_float16(double x) { return to_float16(round_to_odd(x)); }
BFloat16 to_bfloat16(double x) { return to_bfloat16(round_to_odd(x)); }

}  // namespace braid
