#include "base/percentiles.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Percentiles, AreResolvedOnceASampleLiesBeyondThem) {
  EXPECT_EQ(samples_to_resolve(50), 2U);
  EXPECT_EQ(samples_to_resolve(90), 10U);
  EXPECT_EQ(samples_to_resolve(95), 20U);
  EXPECT_EQ(samples_to_resolve(99), 100U);
  EXPECT_EQ(samples_to_resolve(99.9), 1000U);
  const std::vector<double> few(99, 1.0);
  EXPECT_EQ(resolved_percentile(few, 95), 1.0);
  EXPECT_EQ(resolved_percentile(few, 99), std::nullopt);
}

}  // namespace
}  // namespace braid
