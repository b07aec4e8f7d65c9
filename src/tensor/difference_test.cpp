#include "tensor/difference.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/error.h"

namespace braid {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Difference, IsRelativeToTheLargestElementOfTheReference) {
  const auto d =
      difference(Tensor::of<float>({3}, {1, 2, 10.5}), Tensor::of<float>({3}, {1, 2, -10}));
  EXPECT_EQ(d.max_abs, 20.5);
  EXPECT_EQ(d.largest, 10);
  EXPECT_EQ(d.max_rel(), 2.05);
  EXPECT_FALSE(d.within(0, 2));
  EXPECT_TRUE(d.within(0.5, 2));
}

TEST(Difference, NanEqualsOnlyNanAndInfinityOnlyItself) {
  EXPECT_EQ(difference(Tensor::scalar(kNan), Tensor::scalar(kNan)).max_abs, 0);
  EXPECT_EQ(difference(Tensor::scalar(kInfinity), Tensor::scalar(kInfinity)).max_abs, 0);
  EXPECT_EQ(difference(Tensor::scalar(1.0F), Tensor::scalar(kNan)).max_abs, kInfinity);
  EXPECT_EQ(difference(Tensor::scalar(kInfinity), Tensor::scalar(-kInfinity)).max_abs, kInfinity);
  EXPECT_EQ(difference(Tensor::scalar(1.0F), Tensor::scalar(kInfinity)).max_abs, kInfinity);
}

TEST(Difference, SeesNeighbouringLargeIntegers) {
  const auto big = std::int64_t{1} << 60;
  EXPECT_GT(difference(Tensor::scalar(big), Tensor::scalar(big + 1)).max_abs, 0);
}

TEST(Difference, AllCloseLooksAtEachElement) {
  const Tensor reference = Tensor::of<float>({2}, {1000, 1});
  EXPECT_TRUE(all_close(Tensor::of<float>({2}, {1001, 1}), reference, 0, 1e-2));
  EXPECT_FALSE(all_close(Tensor::of<float>({2}, {1000, 2}), reference, 0, 1e-2));
  EXPECT_TRUE(all_close(Tensor::scalar(kInfinity), Tensor::scalar(kInfinity), 0, 0));
  for (const float other : {1.0F, -kInfinity, kNan})
    EXPECT_FALSE(all_close(Tensor::scalar(other), Tensor::scalar(kInfinity), 1, 1e-2)) << other;
}

TEST(Difference, RefusesOtherTypes) {
  EXPECT_THROW(difference(Tensor::scalar(1.0F), Tensor::of<float>({1}, {1.0F})), Error);
}

}  // namespace
}  // namespace braid
