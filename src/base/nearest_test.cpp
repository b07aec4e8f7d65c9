#include "base/nearest.h"

#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(EditDistance, CountsCharactersToChange) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("conv_1", "conv_1"), 0U);
  EXPECT_EQ(edit_distance("conv_1", "conv_2"), 1U);
  EXPECT_EQ(edit_distance("conv", "cnov"), 2U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
}

TEST(Nearest, SuggestsWhatIsLikely) {
  const std::vector<std::string> names = {"conv_1/relu", "pool", "fc"};
  EXPECT_EQ(nearest("pol", names), "pool");
  EXPECT_EQ(nearest("conv_1", names), "conv_1/relu");
  EXPECT_EQ(nearest("softmax", names), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(nearest("x", std::vector<std::string>{"y"}), "");
}

TEST(DidYouMean, EndsAMessage) {
  const std::vector<std::string> names = {"wavefront", "nimble"};
  EXPECT_EQ(did_you_mean("nimbel", names), "; did you mean nimble?");
  EXPECT_EQ(did_you_mean("xyz", names), "");
}

TEST(Nearest, TakesLongTexts) {
  const std::vector<std::string> names = {std::string(100'000, 'a'), "b"};
  EXPECT_EQ(nearest(std::string(100'000, 'a'), names), names[0]);
}

}  // namespace
}  // namespace braid
