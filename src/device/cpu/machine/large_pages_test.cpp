#include "device/cpu/machine/large_pages.h"

#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "base/error.h"

namespace braid::cpu {
namespace {

TEST(LargePages, ConstantsLieSideBySide) {
  const HeldBytes one = room_for_constant(100);
  const HeldBytes other = room_for_constant(100);
  std::memset(one.bytes, 1, 100);
  std::memset(other.bytes, 2, 100);
  EXPECT_EQ(other.bytes - one.bytes, 128);
  EXPECT_EQ(one.bytes[99], std::byte{1});
}

TEST(LargePages, AConstantKeepsItsBytesWhenItsNeighboursGo) {
  HeldBytes gone = room_for_constant(1000);
  const HeldBytes kept = room_for_constant(1000);
  std::memset(kept.bytes, 7, 1000);
  gone = {};
  std::memset(room_for_constant(std::int64_t{40} << 20).bytes, 1, std::size_t{40} << 20);
  for (int i = 0; i < 50; ++i) std::memset(room_for_constant(1 << 20).bytes, 9, 1 << 20);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(kept.bytes[i], std::byte{7});
}

TEST(LargePages, SaysWhatThereIsNoMemoryFor) {
  try {
    allocate_for_runs(std::numeric_limits<std::int64_t>::max() / 2, "an arena");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Quota);
    EXPECT_NE(std::string(error.what()).find("no memory for an arena of"), std::string::npos);
  }
}

}  // namespace
}  // namespace braid::cpu
