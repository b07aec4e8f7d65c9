#include "base/each_once.h"

#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(EachOnce, SaysTheSameThingOnceAlsoThroughACopy) {
  std::vector<std::string> heard;
  const Warn warn = each_once([&](const std::string& warning) { heard.push_back(warning); });
  const Warn copy = warn;
  for (const char* text : {"a", "b", "a"}) warn(text);
  copy("b");
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "b"}));
}

TEST(EachOnce, OfNobodyIsNobody) { EXPECT_FALSE(each_once({})); }

}  // namespace
}  // namespace braid
