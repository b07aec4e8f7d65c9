#include "base/text.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(CommaSeparated, GivesThePieces) {
  EXPECT_EQ(comma_separated("a,b c"), (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(comma_separated(",a,"), (std::vector<std::string>{"", "a"}));
  EXPECT_TRUE(comma_separated("").empty());
}

TEST(Printable, LeavesPlainTextAlone) {
  EXPECT_EQ(printable("conv_1/BiasAdd:0"), "conv_1/BiasAdd:0");
  EXPECT_EQ(printable("größe 名前 🙂"), "größe 名前 🙂");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapesControlBytes) {
  EXPECT_EQ(printable("a\nb\tc"), "a\\x0ab\\x09c");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(printable("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
}

TEST(Printable, EscapesInvalidUtf8) {
  EXPECT_EQ(printable("\x80"), "\\x80");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc3(x"), "\\xc3(x");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  // Overlong forms, a surrogate, and a code point past the last.
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(printable("\xf0\x80\x80\xaf"), "\\xf0\\x80\\x80\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Printable, EscapesWhatHidesOrReordersText) {
  EXPECT_EQ(printable("\xc2\x85"), "\\xc2\\x85");           // a C1 control
  EXPECT_EQ(printable("\xe2\x80\x8b"), "\\xe2\\x80\\x8b");  // zero width space
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");  // left-to-right isolate
  EXPECT_EQ(printable("\xef\xbb\xbf"), "\\xef\\xbb\\xbf");  // byte order mark
}

TEST(Printable, CutsLongText) {
  EXPECT_EQ(printable(std::string(200, 'a')), std::string(200, 'a'));
  EXPECT_EQ(printable(std::string(201, 'a')), std::string(200, 'a') + "…");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("aé", 2), "aé");
}

TEST(Quote, PutsSingleQuotesAround) { EXPECT_EQ(quote("a\n"), "'a\\x0a'"); }

TEST(Text, LowerCaseLeavesOtherBytesAlone) {
  EXPECT_EQ(lower_case("Model.ONNX \xC3\x84"), "model.onnx \xC3\x84");
}

TEST(Counted, HasThePluralThatTheNumberWants) {
  EXPECT_EQ(counted(1, "thread"), "1 thread");
  EXPECT_EQ(counted(0, "thread"), "0 threads");
  EXPECT_EQ(counted(12345, "node"), "12,345 nodes");
  EXPECT_EQ(counted(2, "copy", "copies"), "2 copies");
}

}  // namespace
}  // namespace braid
