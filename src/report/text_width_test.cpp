#include "report/text_width.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(TextWidth, KeepsWhatFitsAndTheEndOfWhatDoesNot) {
  EXPECT_EQ(fitting("Conv", 13), "Conv");
  const std::string name = "/model/blocks.11/attention/WWWWWWWW/MatMul";
  for (const bool bold : {false, true}) {
    const std::string cut = fitting(name, 13, bold);
    EXPECT_TRUE(cut.starts_with("…") && cut.ends_with("/MatMul")) << cut;
    EXPECT_LE(text_width(cut, bold), 13);
  }
  EXPECT_LT(fitting(name, 13, true).size(), fitting(name, 13).size());
}

TEST(TextWidth, CutsBetweenCharacters) {
  EXPECT_EQ(text_width("層層"), 2 * text_width("層"));
  EXPECT_EQ(fitting("層層層層", 3), "…層層");
  EXPECT_EQ(fitting("層層層層", 0), "…");
}

}  // namespace
}  // namespace braid
