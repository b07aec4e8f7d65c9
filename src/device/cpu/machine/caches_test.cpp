#include "device/cpu/machine/caches.h"

#include <gtest/gtest.h>

namespace braid::cpu {
namespace {

TEST(Caches, HaveTwoLevels) {
  EXPECT_GE(first_level_bytes(), std::int64_t{1} << 12);
  EXPECT_GE(second_level_bytes(), std::int64_t{1} << 16);
}

}  // namespace
}  // namespace braid::cpu
