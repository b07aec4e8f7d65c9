#include "plan/byte_map.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

std::string known(ByteMap<std::string> map) {
  std::string text;
  for (std::int64_t at = 0; at < 10; ++at) {
    std::string use = ".";
    map.for_each_known({at, at + 1}, [&](const std::string& found) { use = found; });
    text += fmt::format("[{}]", use);
  }
  return text;
}

TEST(ByteMap, SplitsWhereUsesMeet) {
  ByteMap<std::string> map;
  EXPECT_EQ(known(map), "[.][.][.][.][.][.][.][.][.][.]");
  map.for_each({1, 4}, [](std::string& use) { use += "a"; });
  map.for_each({3, 7}, [](std::string& use) { use += "b"; });
  map.for_each({9, 9}, [](std::string& use) { use += "none"; });
  EXPECT_EQ(known(map), "[.][a][a][ab][b][b][b][.][.][.]");
  map.for_each({0, 9}, [](std::string& use) { use += "c"; });
  EXPECT_EQ(known(map), "[c][ac][ac][abc][bc][bc][bc][c][c][.]");
  map.assign({2, 6}, "d");
  EXPECT_EQ(known(map), "[c][ac][d][d][d][d][bc][c][c][.]");
  map.assign({4, 4}, "none");
  EXPECT_EQ(known(map), "[c][ac][d][d][d][d][bc][c][c][.]");
}

}  // namespace
}  // namespace braid
