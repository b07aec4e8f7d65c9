#include "tensor/element.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace braid {
namespace {

/// The value of a small float, from the definition: sign, biased exponent, mantissa.
double value_of(std::uint16_t bits, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

/// Every finite pattern and the halves between neighbours, which tell rounding to even from others.
template <class T, class Narrow>
void check_all(int exponent_bits, const Narrow& narrow) {
  const std::uint16_t infinity =
      static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << (15 - exponent_bits));
  for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const double expected = value_of(bits, exponent_bits);
    const float got = to_float(T{bits});
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
      ASSERT_TRUE(std::isnan(value_of(narrow(static_cast<double>(got)), exponent_bits))) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(got), expected) << bits;
    ASSERT_EQ(std::signbit(got), (bits & 0x8000) != 0) << bits;
    ASSERT_EQ(narrow(expected), bits);
    if ((bits & 0x7fff) >= infinity) continue;
    // Past the largest number the next "neighbour" is where overflow begins.
    const auto next = static_cast<std::uint16_t>(bits + 1);
    const bool overflows = (next & 0x7fff) == infinity;
    const double above =
        overflows ? 2 * expected - value_of(static_cast<std::uint16_t>(bits - 1), exponent_bits)
                  : value_of(next, exponent_bits);
    const double half = (expected + above) / 2;
    const std::uint16_t even = bits % 2 == 0 ? bits : next;
    ASSERT_EQ(narrow(half), even) << bits;
    ASSERT_EQ(narrow(std::nextafter(half, expected)), bits) << bits;
    ASSERT_EQ(narrow(std::nextafter(half, above)), next) << bits;
  }
}

TEST(Float16, EveryPatternReadsAndRoundsByItsDefinition) {
  check_all<Float16>(5, [](double x) { return to_float16(x).bits; });
}

TEST(BFloat16, EveryPatternReadsAndRoundsByItsDefinition) {
  check_all<BFloat16>(8, [](double x) { return to_bfloat16(x).bits; });
}

TEST(Float16, RoundsFloatsToEven) {
  EXPECT_EQ(to_float16(1.0F).bits, 0x3c00);
  EXPECT_EQ(to_float16(65504.0F).bits, 0x7bff);
  EXPECT_EQ(to_float16(65519.996F).bits, 0x7bff);
  EXPECT_EQ(to_float16(65520.0F).bits, 0x7c00);
  EXPECT_EQ(to_float16(-1e30F).bits, 0xfc00);
  EXPECT_EQ(to_float16(5.9604645e-8F).bits, 1);
  EXPECT_EQ(to_float16(2.9802322e-8F).bits, 0);
  EXPECT_EQ(to_float16(2.9802326e-8F).bits, 1);
  EXPECT_EQ(to_float16(-0.0F).bits, 0x8000);
}

RC_GTEST_PROP(SmallFloats, ADoubleThatIsAFloatRoundsAlike, (std::uint32_t bits)) {
  const auto x = std::bit_cast<float>(bits);
  RC_PRE(!std::isnan(x));
  RC_ASSERT(to_float16(x).bits == to_float16(static_cast<double>(x)).bits);
  RC_ASSERT(to_bfloat16(x).bits == to_bfloat16(static_cast<double>(x)).bits);
}

TEST(Float16, ADoubleIsRoundedOnce) {
  // Just above a half between two neighbours, by less than a float can see.
  EXPECT_EQ(to_float16(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)).bits, 0x3c01);
  EXPECT_EQ(to_float16(1.0 + std::ldexp(1.0, -11)).bits, 0x3c00);
  EXPECT_EQ(to_bfloat16(1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40)).bits, 0x3f81);
  EXPECT_EQ(to_bfloat16(1e300).bits, 0x7f80);
  EXPECT_EQ(to_bfloat16(-1e300).bits, 0xff80);
}

TEST(ElementType, NamesAndSizesAgreeWithTheCppTypes) {
  for (int i = 0; i <= static_cast<int>(ElementType::Bool); ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(element_named(name(type)), type);
    dispatch(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      EXPECT_EQ(ElementOf<T>::value, type);
      EXPECT_EQ(byte_size(type), static_cast<std::int64_t>(sizeof(T)));
      EXPECT_EQ(is_float_type(type), is_float<T>);
    });
    dispatch_size(type, [&](auto tag) {
      EXPECT_EQ(byte_size(type), static_cast<std::int64_t>(sizeof(typename decltype(tag)::type)));
    });
  }
  EXPECT_EQ(element_named("f8"), std::nullopt);
  EXPECT_EQ(element_named(""), std::nullopt);
}

}  // namespace
}  // namespace braid
