#include "plan/edits.h"

#include <random>

#include <gtest/gtest.h>

#include "base/error.h"

namespace braid {
namespace {

std::string message_of(std::string_view text, ErrorKind kind = ErrorKind::Model) {
  try {
    parse_edits(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.message();
  }
  return "no error";
}

TEST(ParseEdits, ReadsEveryKindOfLine) {
  const auto edits = parse_edits(
      "# a comment\n"
      "\n"
      "pin /head/* stream 1   # the head\r\n"
      "\tbefore conv_a conv_b\n"
      "never-parallel gemm#1 \"a \\\"b\\\\ *\"");
  ASSERT_EQ(edits.size(), 3U);
  EXPECT_EQ(edits[0].kind, EditKind::Pin);
  EXPECT_EQ(edits[0].a, (NodePattern{"/head/*", true}));
  EXPECT_EQ(edits[0].stream, 1);
  EXPECT_EQ(edits[0].line, 3);
  EXPECT_EQ(edits[1].kind, EditKind::Before);
  EXPECT_EQ(edits[1].a, (NodePattern{"conv_a", false}));
  EXPECT_EQ(edits[1].b, (NodePattern{"conv_b", false}));
  EXPECT_EQ(edits[2].kind, EditKind::NeverParallel);
  EXPECT_EQ(edits[2].a, (NodePattern{"gemm#1", false}));
  EXPECT_EQ(edits[2].b, (NodePattern{"a \"b\\ *", false}));
  EXPECT_TRUE(parse_edits("").empty());
}

TEST(ParseEdits, SaysWhichLineIsNoEdit) {
  EXPECT_EQ(message_of("before a b\npinn a stream 1"),
            "edits line 2: 'pinn' is no edit (is it `pin`?); write `pin NODE stream N`, `before "
            "NODE NODE` or `never-parallel NODE NODE`");
  EXPECT_EQ(message_of("pin a 1"), "edits line 1: a pin reads `pin NODE stream N`");
  EXPECT_EQ(message_of("pin a stream -1"),
            "edits line 1: '-1' is no stream; streams are numbered from 0");
  EXPECT_EQ(message_of("pin a stream 99999999999"),
            "edits line 1: '99999999999' is no stream; streams are numbered from 0");
  EXPECT_EQ(message_of("before a b c"),
            "edits line 1: `before` takes two names, here are 3; quote names that contain blanks");
  EXPECT_EQ(message_of("before \"a b"), "edits line 1: a name in quotes does not end");
  EXPECT_EQ(message_of("before \"\" b"), "edits line 1: a name is empty");
}

TEST(ParseEdits, HasLimits) {
  EXPECT_NE(message_of(std::string((1 << 20) + 1, '#'), ErrorKind::Quota), "no error");
  std::string many;
  for (int i = 0; i < 10'001; ++i) many += "before a b\n";
  EXPECT_NE(message_of(many, ErrorKind::Quota), "no error");
  EXPECT_NE(message_of("pin " + std::string(300, '*') + " stream 0").find("256 bytes"),
            std::string::npos);
}

TEST(ParseEdits, TakesOrRefusesAnyBytes) {
  const std::string_view pieces[] = {"pin",     "before", "never-parallel",
                                     "stream",  "\"",     "\\",
                                     "*",       "?",      "#",
                                     "\n",      " ",      "\t",
                                     "a",       "0",      "-1",
                                     "\r",      "é",      "\xff",
                                     "stream 0"};
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937_64 engine(seed);
    std::string text;
    for (std::uint64_t n = engine() % 60; n > 0; --n) {
      if (engine() % 4 == 0)
        text += static_cast<char>(engine() % 256);
      else
        text += pieces[engine() % std::size(pieces)];
    }
    try {
      for (const PlanEdit& edit : parse_edits(text)) {
        EXPECT_FALSE(edit.a.text.empty());
        EXPECT_EQ(edit.b.text.empty(), edit.kind == EditKind::Pin);
        EXPECT_EQ(edit.stream >= 0, edit.kind == EditKind::Pin);
        EXPECT_GT(edit.line, 0);
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Model) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace braid
