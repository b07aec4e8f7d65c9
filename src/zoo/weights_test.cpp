#include "zoo/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace braid::zoo {
namespace {

struct Sample {
  double mean;
  double deviation;
};

Sample sample(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  const auto n = static_cast<double>(data.size());
  const double mean = std::accumulate(data.begin(), data.end(), 0.0) / n;
  double squares = 0;
  for (const float x : data) squares += (x - mean) * (x - mean);
  return {mean, std::sqrt(squares / n)};
}

TEST(Weights, NormalHasTheAskedDeviation) {
  const Sample drawn = sample(Weights(1).normal("w", {1000, 100}, 0.5));
  EXPECT_NEAR(drawn.mean, 0, 0.01);
  EXPECT_NEAR(drawn.deviation, 0.5, 0.005);
}

TEST(Weights, UniformStaysInItsRange) {
  const Tensor drawn = Weights(1).uniform("w", {100000}, 0.8, 1.2);
  const auto data = drawn.data<float>();
  const auto [low, high] = std::minmax_element(data.begin(), data.end());
  EXPECT_GE(*low, 0.8F);
  EXPECT_LE(*high, 1.2F);
  EXPECT_NEAR(sample(drawn).mean, 1, 0.01);
  EXPECT_NEAR(sample(drawn).deviation, 0.4 / std::sqrt(12), 0.01);
}

TEST(Weights, DependOnSeedAndName) {
  const Tensor one = Weights(1).normal("w", {8}, 1);
  EXPECT_TRUE(identical(one, Weights(1).normal("w", {8}, 1)));
  EXPECT_FALSE(identical(one, Weights(2).normal("w", {8}, 1)));
  EXPECT_FALSE(identical(one, Weights(1).normal("v", {8}, 1)));
}

TEST(Weights, AreTheSameOnEveryPlatform) {
  // At this deviation the elements are whole numbers.
  const Tensor drawn = Weights(1).normal("w", {4}, 65536 / std::sqrt(3.0));
  const auto data = drawn.data<float>();
  EXPECT_EQ(std::vector<float>(data.begin(), data.end()),
            (std::vector<float>{26368, -27094, -8515, 37319}));
}

}  // namespace
}  // namespace braid::zoo
