#include "base/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace braid {
namespace {

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    return error.what();
  }
  return "no error";
}

TEST(Json, TextIsIndentedAsciiThatEndsWithANewline) {
  EXPECT_EQ(json_text({{"b", {1, 2}}, {"a", "\u00e9\xff"}}),
            "{\n  \"b\": [\n    1,\n    2\n  ],\n  \"a\": \"\\u00e9\\ufffd\"\n}\n");
}

TEST(Json, RefusesWhatIsNotValid) {
  EXPECT_EQ(error_of([] { parse_json("{\"a\": 1,}"); }),
            "this is not valid JSON: parse error at line 1, column 9: syntax error while parsing "
            "object key - unexpected '}'; expected string literal");
  EXPECT_EQ(error_of([] { parse_json(""); }),
            "this is not valid JSON: parse error at line 1, column 1: syntax error while parsing "
            "value - unexpected end of input; expected '[', '{', or a literal");
  EXPECT_NE(error_of([] { parse_json("[1e999]"); }), "no error");
  EXPECT_NE(error_of([] { parse_json("\"\xff\""); }), "no error");
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_EQ(error_of([] { parse_json(std::string(1'000'000, '[')); }),
            "the JSON is nested more than 16 levels deep");
  EXPECT_EQ(error_of([] { parse_json("[[]]", 1); }), "the JSON is nested more than 1 levels deep");
  EXPECT_EQ(parse_json("[[]]", 2).dump(), "[[]]");
}

TEST(Json, RefusesAKeyThatComesTwice) {
  EXPECT_EQ(error_of([] { parse_json(R"({"a": 1, "b": {"a": 2}, "a": 3})"); }),
            "the JSON has the key 'a' twice in one object");
}

class Place : public testing::Test {
 protected:
  nlohmann::json json = parse_json(R"({"rows": [{"n": 5}, {"n": -7}, "word", 2.5, [1]],
      "large": 18446744073709551615, "huge": 99999999999999999999})");
  JsonPlace place{json};
};

TEST_F(Place, ReadsWhatIsThere) {
  EXPECT_EQ(place["rows"].size(), 5);
  EXPECT_EQ(place["rows"].at(1)["n"].integer(-10, 10), -7);
  EXPECT_EQ(place["rows"].at(0).integer("n", 0, 9, 1), 5);
  EXPECT_EQ(place["rows"].at(0).integer("m", 0, 9, 1), 1);
  EXPECT_EQ(place["rows"].at(2).text(), "word");
  EXPECT_EQ(place["rows"].at(3).real(0, 9), 2.5);
  EXPECT_EQ(place["rows"].at(1)["n"].real(-10, 10), -7);
  EXPECT_FALSE(place.has("columns"));
}

TEST_F(Place, SaysWhereAndWhatWasExpected) {
  const auto rows = place["rows"];
  EXPECT_EQ(error_of([&] { rows.at(0)["n"].text(); }),
            "rows[0].n: expected a text, got a whole number");
  EXPECT_EQ(error_of([&] { rows.at(0)["m"].text(); }), "rows[0]: the key 'm' is missing");
  EXPECT_EQ(error_of([&] { rows.at(1)["n"].integer(0, 9); }),
            "rows[1].n: expected a whole number from 0 to 9, got -7");
  EXPECT_EQ(error_of([&] { rows.at(3).integer(0, 9); }),
            "rows[3]: expected a whole number, got a fraction or a number that is too large");
  EXPECT_EQ(error_of([&] { rows.at(4).has("n"); }), "rows[4]: expected an object, got a list");
  EXPECT_EQ(error_of([&] { rows.at(0).expect_keys({"m"}); }), "rows[0]: unknown key 'n'");
  EXPECT_EQ(error_of([&] { place.size(); }), "expected a list, got an object");
}

TEST_F(Place, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(error_of([&] { place["large"].integer(0, 9); }),
            "large: expected a whole number from 0 to 9, got 18446744073709551615");
  EXPECT_EQ(error_of([&] { place["huge"].integer(0, 9); }),
            "huge: expected a whole number, got a fraction or a number that is too large");
  EXPECT_EQ(error_of([&] { place["rows"].at(3).real(0, 2); }),
            "rows[3]: expected a number from 0 to 2, got 2.5");
  EXPECT_EQ(error_of([&] { place["rows"].at(2).real(0, 2); }),
            "rows[2]: expected a number, got a text");
}

}  // namespace
}  // namespace braid
