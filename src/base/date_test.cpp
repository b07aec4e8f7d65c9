#include "base/date.h"

#include <limits>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(Date, IsToldToTheMinute) { EXPECT_EQ(date_text(1'763'474'592), "2025-11-18 14:03 UTC"); }

TEST(Date, OfNoMomentIsUnknown) {
  for (const std::int64_t none :
       {std::int64_t{0}, std::int64_t{-5}, std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(date_text(none), "an unknown day");
}

}  // namespace
}  // namespace braid
