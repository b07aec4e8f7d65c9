#include "optimise/predicted_time.h"

#include <random>

#include <gtest/gtest.h>

namespace braid {
namespace {

TrialCost drawn(std::mt19937& random) {
  std::uniform_real_distribution<double> share(0.8, 1.2);
  return {2000 * share(random), 600 * share(random), 500 * share(random)};
}

TEST(PredictedTime, FindsTheWeightsThatMadeTheTimes) {
  std::mt19937 random(1);
  PredictedTime predicted;
  for (int i = 0; i < 100; ++i) {
    const TrialCost cost = drawn(random);
    predicted.add(cost, 0.65 * cost.critical_path_us + 0.16 * cost.sum_us + 0.2 * cost.launches);
  }
  EXPECT_NEAR(predicted.alpha(), 0.65 / 0.16, 0.4);
  EXPECT_NEAR(predicted.launch_us(), 0.2 / 0.16, 0.3);
  const TrialCost cost = drawn(random);
  EXPECT_NEAR(predicted.time_us(cost),
              0.65 * cost.critical_path_us + 0.16 * cost.sum_us + 0.2 * cost.launches, 3);
}

TEST(PredictedTime, IsTheMixedCostOfAlphaOneAtFirst) {
  PredictedTime predicted;
  predicted.add({300, 100, 10}, 200);
  EXPECT_DOUBLE_EQ(predicted.alpha(), 1);
  EXPECT_DOUBLE_EQ(predicted.time_us({300, 100, 10}), 200);
}

/// Two operators side by side, a on the path, become one of time m. A sum accepts that if m < a +
/// b, the mixed cost only if m < a + b / (1 + alpha).
TEST(PredictedTime, AcceptsAMergeByHowMuchRunsSideBySide) {
  PredictedTime sequential;
  PredictedTime parallel;
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const TrialCost cost = drawn(random);
    sequential.add(cost, cost.sum_us);
    parallel.add(cost, 0.8 * cost.critical_path_us + 0.2 * cost.sum_us);
  }
  const double a = 100;
  const double b = 60;
  const auto merged = [&](double m) { return TrialCost{2000 - a - b + m, 600 - a + m, 500}; };
  const TrialCost apart = {2000, 600, 500};
  const auto accepts = [&](const PredictedTime& by, double m) {
    return by.time_us(merged(m)) < by.time_us(apart);
  };
  EXPECT_TRUE(accepts(sequential, a + 0.9 * b));
  EXPECT_FALSE(accepts(parallel, a + 0.9 * b));
  EXPECT_TRUE(accepts(parallel, a + 0.1 * b));
}

}  // namespace
}  // namespace braid
