#include "device/cpu/machine/caches.h"

#include <gtest/gtest.h>

namespace braid::cpu {
namespace {

TEST(Caches, GrowFromLevelToLevel) {
  EXPECT_GE(first_level_bytes(), std::int64_t{1} << 13);
  EXPECT_GE(first_level_ways(), 1);
  EXPECT_GE(second_level_bytes(), 2 * first_level_bytes());
}

}  // namespace
}  // namespace braid::cpu
