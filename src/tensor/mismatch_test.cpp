#include "tensor/mismatch.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/error.h"
#include "tensor/tolerance.h"

namespace braid {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kEndless = std::numeric_limits<float>::infinity();

TEST(Mismatch, TellsHowManyTheFirstAndTheWorst) {
  const Mismatch found = mismatch(Tensor::of<float>({2, 3}, {1, 2, 3.5, 4, 9, 6}),
                                  Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6.25}), 0.3);
  EXPECT_EQ(found.count, 2);
  EXPECT_EQ(found.largest_finite, 4);
  ASSERT_TRUE(found.first && found.worst);
  EXPECT_EQ(found.first->index, (Dims{0, 2}));
  EXPECT_EQ(found.first->got, Number(3.5));
  EXPECT_EQ(found.first->expected, Number(3.0));
  EXPECT_EQ(found.worst->index, (Dims{1, 1}));
  EXPECT_EQ(found.worst->got, Number(9.0));
}

TEST(Mismatch, NoElementIsNamedIfAllAreAllowed) {
  const Mismatch found =
      mismatch(Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {1, 2.5}), 0.5);
  EXPECT_EQ(found.count, 0);
  EXPECT_FALSE(found.first || found.worst);
  EXPECT_EQ(found.largest_finite, 0.5);
}

TEST(Mismatch, CountsWhatIsNotFiniteOnEachSide) {
  const Mismatch found =
      mismatch(Tensor::of<float>({5}, {kNoNumber, kNoNumber, 7, kEndless, kEndless}),
               Tensor::of<float>({5}, {kNoNumber, 1, 5, kEndless, -kEndless}), 1e9);
  EXPECT_EQ(found.got.nan, 2);
  EXPECT_EQ(found.got.infinite, 2);
  EXPECT_EQ(found.expected.nan, 1);
  EXPECT_EQ(found.expected.infinite, 2);
  EXPECT_EQ(found.count, 2);
  EXPECT_EQ(found.worst->index, Dims{1});
  EXPECT_EQ(found.largest_finite, 2);
}

TEST(Mismatch, KeepsLargeIntegersAsTheyAre) {
  const auto big = std::int64_t{1} << 60;
  const Mismatch found = mismatch(Tensor::scalar(big), Tensor::scalar(big + 1), 0);
  EXPECT_EQ(found.count, 1);
  EXPECT_EQ(found.worst->index, Dims{});
  EXPECT_EQ(found.worst->expected, Number(big + 1));
}

TEST(Mismatch, RefusesOtherTypesThanTheReferences) {
  EXPECT_THROW(mismatch(Tensor::scalar(1.0F), Tensor::of<float>({1}, {1.0F}), 0), Error);
}

TEST(Tolerance, FollowsSizeAndTypeOfWhatIsExpected) {
  EXPECT_DOUBLE_EQ(usual_tolerance(ElementType::F32).of(1e-6), 1e-10);
  EXPECT_GT(usual_tolerance(ElementType::F16).of(1), 4.2e-4);
  EXPECT_GT(usual_tolerance(ElementType::BF16).of(1), usual_tolerance(ElementType::F16).of(1));
  EXPECT_EQ(usual_tolerance(ElementType::F32, ElementType::F16).relative,
            usual_tolerance(ElementType::F16).relative);
  for (const ElementType exact : {ElementType::I64, ElementType::U8, ElementType::Bool})
    EXPECT_EQ(usual_tolerance(exact).of(1e9), 0);
}

}  // namespace
}  // namespace braid
