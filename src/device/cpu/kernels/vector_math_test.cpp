#include "device/cpu/kernels/vector_math.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

/// The functions against the library's in double, on floats of every size.

namespace braid::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Calls `body` with normal floats from `low` to `high`, some of each power of two, of both signs.
template <class Body>
void each_float(float low, float high, const Body& body) {
  constexpr std::uint32_t step = 9973;
  for (auto bits = std::bit_cast<std::uint32_t>(low); bits <= std::bit_cast<std::uint32_t>(high);
       bits += step) {
    body(std::bit_cast<float>(bits));
    body(-std::bit_cast<float>(bits));
  }
}

/// The largest error, relative to what is expected.
template <class Got, class Expected>
double largest_error(float low, float high, Got got, Expected expected) {
  double largest = 0;
  each_float(low, high, [&](float x) {
    const double right = expected(static_cast<double>(x));
    if (std::isnan(right) || std::fabs(right) < 0x1p-126) return;
    largest = std::max(largest, std::fabs((static_cast<double>(got(x)) - right) / right));
  });
  return largest;
}

TEST(VectorMath, RoundsAsTheLibrary) {
  const auto expect_same = [](float x) {
    EXPECT_EQ(round_down(x), std::floor(x)) << x;
    EXPECT_EQ(round_up(x), std::ceil(x)) << x;
    EXPECT_EQ(round_half_even(x), std::nearbyint(x)) << x;
    EXPECT_EQ(std::signbit(round_up(x)), std::signbit(x)) << x;
  };
  each_float(0x1p-100F, 0x1p30F, expect_same);
  for (int i = 0; i < 1000; ++i) {
    expect_same(static_cast<float>(i) / 2);
    expect_same(-static_cast<float>(i) / 2);
  }
  for (const float x : {kInfinity, -kInfinity, 8388607.5F, 8388608.0F, -4194304.5F}) expect_same(x);
  EXPECT_TRUE(std::isnan(round_down(kNaN)));
  EXPECT_TRUE(std::isnan(round_up(kNaN)));
}

TEST(VectorMath, LogarithmIsWithinTwoUnitsOfTheLastPlace) {
  EXPECT_LT(largest_error(0x1p-126F, std::numeric_limits<float>::max(), logarithm,
                          [](double x) { return std::log(x); }),
            2e-7);
  EXPECT_EQ(logarithm(1), 0);
  EXPECT_EQ(logarithm(0), -kInfinity);
  EXPECT_EQ(logarithm(-0.0F), -kInfinity);
  EXPECT_EQ(logarithm(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(logarithm(-kInfinity)));
  EXPECT_TRUE(std::isnan(logarithm(-1)));
  EXPECT_TRUE(std::isnan(logarithm(kNaN)));
}

TEST(VectorMath, SineAndCosineAreWithinTwoUnitsOfTheLastPlace) {
  EXPECT_LT(largest_error(0x1p-100F, kLargestAngle, sine, [](double x) { return std::sin(x); }),
            2e-7);
  EXPECT_LT(largest_error(0x1p-100F, kLargestAngle, cosine, [](double x) { return std::cos(x); }),
            2e-7);
  EXPECT_EQ(sine(0), 0);
  EXPECT_EQ(cosine(0), 1);
  EXPECT_TRUE(std::isnan(sine(kNaN)));
}

TEST(VectorMath, SoftplusIsAsNearAsTheExponential) {
  EXPECT_LT(
      largest_error(0x1p-100F, 80, soft_plus,
                    [](double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }),
      5e-7);
  EXPECT_EQ(soft_plus(kInfinity), kInfinity);
  EXPECT_NEAR(soft_plus(-kInfinity), 0, 1e-40);
  EXPECT_TRUE(std::isnan(soft_plus(kNaN)));
}

}  // namespace
}  // namespace braid::cpu
