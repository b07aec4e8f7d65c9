#include "zoo/moments.h"

#include <cmath>

#include <gtest/gtest.h>

namespace braid::zoo {
namespace {

TEST(Moments, OfAConvolutionFollowItsWeights) {
  const Moments x{{1, 2}, {3, 4}, 0.5};
  const Tensor weight = Tensor::of<float>({2, 2, 1, 2}, {1, 1, 0, 0, 2, 0, 0, -1});
  const Moments y = convolved(x, weight, 1);
  EXPECT_EQ(y.mean, (std::vector<double>{2, 0}));
  EXPECT_EQ(y.variance, (std::vector<double>{6, 16}));
  EXPECT_EQ(y.alikeness, 0.5);
}

TEST(Moments, OfAGroupedConvolutionReadTheirGroup) {
  const Moments x{{1, 2}, {3, 4}, 0};
  const Tensor weight = Tensor::of<float>({4, 1, 1, 1}, {1, 2, 1, 2});
  const Moments y = convolved(x, weight, 2);
  EXPECT_EQ(y.mean, (std::vector<double>{1, 2, 2, 4}));
  EXPECT_EQ(y.variance, (std::vector<double>{3, 12, 4, 16}));
}

TEST(Moments, OfARectifierAreThoseOfACutNormalDistribution) {
  // For a normal x, max(0, x) has the moments 1/sqrt(2 pi) and 1/2 - 1/(2 pi) if the mean is 0, and
  // those of x if the mean is far above 0.
  const Moments y = rectified({{0, 10}, {1, 1}, 0});
  EXPECT_NEAR(y.mean[0], 0.398942, 1e-6);
  EXPECT_NEAR(y.variance[0], 0.340845, 1e-6);
  EXPECT_NEAR(y.mean[1], 10, 1e-6);
  EXPECT_NEAR(y.variance[1], 1, 1e-6);
}

TEST(Moments, OfAMeanDependOnHowAlikeNeighboursAre) {
  EXPECT_NEAR(average_pooled({{1}, {9}, 0}, 3).variance[0], 1, 1e-12);
  EXPECT_NEAR(average_pooled({{1}, {9}, 1}, 3).variance[0], 9, 1e-12);
  EXPECT_EQ(average_pooled({{1}, {9}, 0.5}, 3).mean[0], 1);
  const Moments alone = average_pooled({{1}, {9}, 0.5}, 1);
  EXPECT_EQ(alone.variance[0], 9);
  EXPECT_EQ(alone.alikeness, 0.5);
}

TEST(Moments, OfTheLargestRiseLessIfNeighboursAreAlike) {
  EXPECT_NEAR(max_pooled({{1}, {4}, 1}, 3).mean[0], 1, 1e-12);
  EXPECT_NEAR(max_pooled({{1}, {4}, 0}, 3).mean[0], 1 + 1.6 * 2, 0.05);
  EXPECT_LT(max_pooled({{1}, {4}, 0}, 2).mean[0], max_pooled({{1}, {4}, 0}, 3).mean[0]);
}

TEST(Moments, SumsAndConcatenationsJoinTheirParts) {
  const Moments a{{1}, {1}, 0};
  const Moments b{{2}, {3}, 1};
  const Moments both = sum(a, b);
  EXPECT_EQ(both.mean, std::vector<double>{3});
  EXPECT_EQ(both.variance, std::vector<double>{4});
  EXPECT_EQ(both.alikeness, 0.75);
  const std::vector<Moments> parts = {a, b};
  const Moments row = concatenated(parts);
  EXPECT_EQ(row.mean, (std::vector<double>{1, 2}));
  EXPECT_EQ(row.variance, (std::vector<double>{1, 3}));
  EXPECT_EQ(row.alikeness, 0.75);
}

TEST(Moments, OfFlattenedChannelsRepeat) {
  const Moments row = repeated({{1, 2}, {3, 4}, 0.5}, 2);
  EXPECT_EQ(row.mean, (std::vector<double>{1, 1, 2, 2}));
  EXPECT_EQ(row.variance, (std::vector<double>{3, 3, 4, 4}));
  EXPECT_EQ(row.alikeness, 0.5);
}

TEST(Rounded, KeepsTwelveBits) {
  EXPECT_EQ(rounded(0), 0);
  EXPECT_EQ(rounded(1.0 + 1.0 / 4096), 1);
  EXPECT_EQ(rounded(-3.5), -3.5);
  EXPECT_EQ(rounded(std::nextafter(0.7, 1)), rounded(0.7));
}

}  // namespace
}  // namespace braid::zoo
