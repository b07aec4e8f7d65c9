#include "cost/verdict.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Verdict, IsATieIfTheIntervalHoldsOne) {
  EXPECT_EQ(verdict_of({1.2, 1.1, 1.3}), Verdict::Faster);
  EXPECT_EQ(verdict_of({0.8, 0.7, 0.9}), Verdict::Slower);
  EXPECT_EQ(verdict_of({1.2, 0.9, 1.3}), Verdict::Tie);
  EXPECT_EQ(verdict_of({1, 1, 1}), Verdict::Tie);
}

TEST(Verdict, TurnsRoundWithTheRatio) {
  const RatioInterval slower = inverse({1.25, 1.0 / 0.9, 2});
  EXPECT_DOUBLE_EQ(slower.ratio, 0.8);
  EXPECT_DOUBLE_EQ(slower.low, 0.5);
  EXPECT_DOUBLE_EQ(slower.high, 0.9);
  EXPECT_EQ(verdict_of(slower), Verdict::Slower);
}

}  // namespace
}  // namespace braid
