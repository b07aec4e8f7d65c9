#include "base/error.h"

#include <gtest/gtest.h>

#include "base/checked.h"
#include "base/progress.h"
#include "base/testing/kind_of_error.h"

namespace braid {
namespace {

TEST(Error, CarriesNotesInnermostFirst) {
  try {
    with_note([] { return "while loading 'm'"; },
              [] {
                with_note([] { return "in node 'n'"; },
                          [] { raise(ErrorKind::Model, "bad axis"); });
              });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    EXPECT_EQ(error.message(), "bad axis");
    EXPECT_EQ(error.notes(), std::vector<std::string>({"in node 'n'", "while loading 'm'"}));
    EXPECT_STREQ(error.what(), "bad axis\n  in node 'n'\n  while loading 'm'");
    EXPECT_NE(std::string(error.where().file_name()).find("error_test.cpp"), std::string::npos);
  }
}

TEST(Error, WithNotePassesTheResultAndForeignExceptions) {
  EXPECT_EQ(with_note([] { return "never"; }, [] { return 7; }), 7);
  EXPECT_THROW(with_note([] { return "never"; }, [] { throw std::bad_alloc(); }), std::bad_alloc);
}

TEST(Error, KindsHaveTheirExitCodes) {
  EXPECT_EQ(exit_code(ErrorKind::Internal), 1);
  EXPECT_EQ(exit_code(ErrorKind::Usage), 2);
  EXPECT_EQ(exit_code(ErrorKind::Model), 3);
  EXPECT_EQ(exit_code(ErrorKind::Unsupported), 4);
  EXPECT_EQ(exit_code(ErrorKind::Mismatch), 5);
  EXPECT_EQ(exit_code(ErrorKind::Quota), 6);
  EXPECT_EQ(exit_code(ErrorKind::Device), 7);
  EXPECT_EQ(exit_code(ErrorKind::Cancelled), 130);
  EXPECT_EQ(name(ErrorKind::Quota), "quota exceeded");
}

TEST(Require, IsABugIfItDoesNotHold) {
  require(true, "fine");
  EXPECT_EQ(kind_of_error([] { require(false, "broken"); }), ErrorKind::Internal);
}

TEST(Checked, ThrowsQuotaInsteadOfWrapping) {
  EXPECT_EQ(checked_add(INT64_MAX - 1, 1), INT64_MAX);
  EXPECT_EQ(checked_mul(-3, 7), -21);
  EXPECT_EQ(kind_of_error([] { checked_add(INT64_MAX, 1); }), ErrorKind::Quota);
  EXPECT_EQ(kind_of_error([] { checked_add(INT64_MIN, -1); }), ErrorKind::Quota);
  EXPECT_EQ(kind_of_error([] { checked_mul(INT64_MIN, -1); }), ErrorKind::Quota);
  EXPECT_EQ(kind_of_error([] { checked_mul(std::int64_t{1} << 32, std::int64_t{1} << 31); }),
            ErrorKind::Quota);
}

TEST(Checked, CeilDivRoundsUp) {
  EXPECT_EQ(ceil_div(0, 4), 0);
  EXPECT_EQ(ceil_div(1, 4), 1);
  EXPECT_EQ(ceil_div(4, 4), 1);
  EXPECT_EQ(ceil_div(5, 4), 2);
  EXPECT_EQ(ceil_div(INT64_MAX, 1), INT64_MAX);
}

TEST(Progress, CancelsWhenToldTo) {
  report({}, "loading", 1, 2);
  int calls = 0;
  const Progress go_on = [&](std::string_view phase, std::int64_t done, std::int64_t total) {
    ++calls;
    EXPECT_EQ(phase, "loading");
    EXPECT_EQ(done, 1);
    EXPECT_EQ(total, 2);
    return true;
  };
  report(go_on, "loading", 1, 2);
  EXPECT_EQ(calls, 1);
  const Progress stop = [](std::string_view, std::int64_t, std::int64_t) { return false; };
  EXPECT_EQ(kind_of_error([&] { report(stop, "loading", 1, 2); }), ErrorKind::Cancelled);
}

}  // namespace
}  // namespace braid
