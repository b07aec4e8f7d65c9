#include "cost/simulated_time.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(SimulatedTime, BandInterpolatesBetweenSamples) {
  const Band band = band_of({5, 1, 2, 4, 3});
  EXPECT_DOUBLE_EQ(band.median, 3);
  EXPECT_DOUBLE_EQ(band.p10, 1.4);
  EXPECT_DOUBLE_EQ(band.p90, 4.6);
}

TEST(SimulatedTime, AClearDifferenceHasAWinner) {
  const SimulatedTime fast{90, {90, 80, 100}};
  const SimulatedTime slow{120, {118, 110, 130}};
  EXPECT_EQ(compare(fast, slow), Verdict::Faster);
  EXPECT_EQ(compare(slow, fast), Verdict::Slower);
}

TEST(SimulatedTime, ADifferenceBelowTheResolutionIsATie) {
  EXPECT_EQ(compare({97, {97, 97, 97}}, {100, {100, 100, 100}}), Verdict::Tie);
}

TEST(SimulatedTime, ADifferenceThatDrawsDisagreeAboutIsATie) {
  EXPECT_EQ(compare({80, {80, 80, 80, 120}}, {100, {100, 100, 100, 100}}), Verdict::Tie);
}

TEST(SimulatedTime, ComparesDrawByDrawNotBandByBand) {
  const SimulatedTime a{100, {50, 100, 200}};
  const SimulatedTime b{120, {60, 120, 240}};
  EXPECT_EQ(compare(a, b), Verdict::Faster);
}

}  // namespace
}  // namespace braid
