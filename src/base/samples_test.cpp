#include "base/samples.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace braid {
namespace {

/// Times with a floor and a long tail, as a shared machine gives.
std::vector<double> noisy(std::uint64_t seed, double scale, std::size_t count = 200) {
  std::mt19937_64 random(seed);
  std::vector<double> times(count);
  for (double& time : times)
    time = scale * (1 - 0.3 * std::log((static_cast<double>(random() >> 11) + 1) * 0x1p-53));
  return times;
}

TEST(Percentile, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 50), 2.5);
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 100), 4);
  EXPECT_DOUBLE_EQ(percentile({30, 10, 20}, 25), 15);
  EXPECT_DOUBLE_EQ(percentile({7}, 99), 7);
}

TEST(RatioOfTimes, IsOtherOverOurs) {
  const RatioInterval made = ratio_of_times(noisy(1, 3), noisy(2, 2));
  EXPECT_NEAR(made.ratio, 1.5, 0.1);
  EXPECT_LT(made.low, 1.5);
  EXPECT_GT(made.high, 1.5);
  EXPECT_LT(made.high - made.low, 0.3);
}

TEST(RatioOfTimes, AConstantFactorLeavesNoDoubt) {
  const std::vector<double> ours = noisy(3, 1);
  std::vector<double> other = ours;
  for (double& time : other) time *= 1.25;
  const RatioInterval made = ratio_of_times(other, ours);
  EXPECT_DOUBLE_EQ(made.ratio, 1.25);
  EXPECT_DOUBLE_EQ(made.low, 1.25);
  EXPECT_DOUBLE_EQ(made.high, 1.25);
}

TEST(RatioOfTimes, FewRoundsGiveAWideInterval) {
  const RatioInterval few = ratio_of_times(noisy(1, 1, 8), noisy(2, 1, 8));
  const RatioInterval many = ratio_of_times(noisy(1, 1, 800), noisy(2, 1, 800));
  EXPECT_GT(few.high - few.low, 3 * (many.high - many.low));
}

TEST(RatioOfTimes, DriftThatBothFeelCancels) {
  std::vector<double> other = noisy(1, 1.1);
  std::vector<double> ours = noisy(2, 1);
  for (std::size_t i = 100; i < 200; ++i) {
    other[i] *= 4;
    ours[i] *= 4;
  }
  const RatioInterval made = ratio_of_times(other, ours);
  EXPECT_NEAR(made.ratio, 1.1, 0.15);
  EXPECT_LT(made.high - made.low, 0.3);
}

TEST(RatioOfTimes, OneRoundIsEnough) {
  const std::vector<double> other = {2};
  const std::vector<double> ours = {1};
  EXPECT_DOUBLE_EQ(ratio_of_times(other, ours).high, 2);
}

TEST(RatioOfTimes, ManyRoundsTakeBoundedTime) {
  const RatioInterval made = ratio_of_times(noisy(1, 1, 20'000), noisy(2, 1, 20'000));
  EXPECT_NEAR(made.ratio, 1, 0.02);
}

TEST(MeanLogRatio, TellsWhatItMayBeOffBy) {
  const double e = std::exp(1.0);
  const std::vector<double> times = {e, e * e * e, e, e * e * e};
  const std::vector<double> ones(4, 1.0);
  EXPECT_DOUBLE_EQ(mean_log_ratio(times, ones), 2);
  // Each is 1 off the mean: the deviation is sqrt(4 / 3), and that of a mean of four half of it.
  EXPECT_DOUBLE_EQ(error_of_mean_log_ratio(times, ones), std::sqrt(1.0 / 3));
  EXPECT_EQ(error_of_mean_log_ratio({2.0}, {1.0}), 0);
  EXPECT_EQ(error_of_mean_log_ratio({2.0, 4.0}, {1.0, 2.0}), 0);
}

}  // namespace
}  // namespace braid
