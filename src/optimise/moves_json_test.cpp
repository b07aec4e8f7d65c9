#include "optimise/moves_json.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/text.h"
#include "ops/builder.h"

namespace braid {
namespace {

SavedMoves two_rounds() {
  return {.graph = {1, 2},
          .device = "sim:a100",
          .rounds = {{{.rule = "merge-groups", .anchor = "c", .parameters = {2, -3}},
                      {.rule = "other", .anchor = "d \"1\"", .nodes = {"a", "b"}, .values = {"v"}}},
                     {{.rule = "merge-groups", .anchor = "#\xff"}}}};
}

struct Problem {
  ErrorKind kind = ErrorKind::Internal;
  std::string message;
};

Problem problem_of(std::string_view text, const SavedMovesLimits& limits = {}) {
  try {
    moves_from_json(text, limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.notes().back(), "while reading moves");
    return {error.kind(), error.message()};
  }
  return {};
}

/// The message after a piece of the right text was replaced.
std::string message_after(std::string_view old, std::string_view with) {
  std::string text = to_json(two_rounds());
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old << " is not in " << text;
  const Problem problem = problem_of(text.replace(at, old.size(), with));
  EXPECT_EQ(problem.kind, ErrorKind::Model);
  return problem.message;
}

TEST(MovesJson, HasALineForEachMove) {
  EXPECT_EQ(to_json(two_rounds()), R"({
  "braid_moves": 1,
  "graph": "00000000000000010000000000000002",
  "device": "sim:a100",
  "rounds": [
    [
      {"rule":"merge-groups","anchor":"c","nodes":[],"values":[],"parameters":[2,-3]},
      {"rule":"other","anchor":"d \"1\"","nodes":["a","b"],"values":["v"],"parameters":[]}
    ],
    [
      {"rule":"merge-groups","anchor":"#23ff","nodes":[],"values":[],"parameters":[]}
    ]
  ]
}
)");
}

TEST(MovesJson, IsReadAgain) {
  EXPECT_EQ(moves_from_json(to_json(two_rounds())), two_rounds());
  EXPECT_EQ(moves_from_json(to_json(SavedMoves{})), SavedMoves{});
}

TEST(MovesJson, SaysWhereItIsWrong) {
  EXPECT_EQ(message_after("\"braid_moves\": 1", "\"braid_moves\": 2"),
            "braid_moves: this Braid reads version 1 only");
  EXPECT_EQ(message_after("\"braid_moves\": 1,", ""), "the key 'braid_moves' is missing");
  EXPECT_EQ(message_after("\"device\": \"sim:a100\",", ""), "the key 'device' is missing");
  EXPECT_EQ(message_after("\"device\"", "\"gpu\""), "unknown key 'gpu'");
  EXPECT_EQ(message_after("0001", "000x"), "graph: expected 32 hexadecimal digits");
  EXPECT_EQ(message_after("\"anchor\":\"c\"", "\"anchor\":7"),
            "rounds[0][0].anchor: expected a text, got a whole number");
  EXPECT_EQ(message_after("\"nodes\":[\"a\"", "\"nodes\":[null"),
            "rounds[0][1].nodes[0]: expected a text, got nothing");
  EXPECT_EQ(message_after("[2,-3]", "[2.5]"),
            "rounds[0][0].parameters[0]: expected a whole number, got a fraction or a number that "
            "is too large");
  EXPECT_EQ(message_after("\"values\":[]", "\"weights\":[]"),
            "rounds[0][0]: unknown key 'weights'");
  EXPECT_EQ(message_after("#23ff", "#23f"),
            "rounds[1][0].anchor: expected '#' and the bytes of a name in hexadecimal digits");
  EXPECT_EQ(message_after("[2,-3]", "[[[2]]]"), "the JSON is nested more than 5 levels deep");
}

TEST(MovesJson, IsBounded) {
  const std::string text = to_json(two_rounds());
  const auto refusal = [&](const SavedMovesLimits& limits) {
    const Problem problem = problem_of(text, limits);
    EXPECT_EQ(problem.kind, ErrorKind::Quota) << problem.message;
    return problem.message;
  };
  EXPECT_EQ(refusal({.bytes = 100}),
            "the moves have " + std::to_string(text.size()) + " bytes; at most 100 are read");
  EXPECT_EQ(refusal({.rounds = 1}), "rounds: 2 rounds; at most 1 are read");
  EXPECT_EQ(refusal({.moves = 2}), "rounds[1]: 1 moves more; at most 0 are read");
  EXPECT_EQ(refusal({.list = 1}), "rounds[0][0].parameters: 2 numbers; at most 1 are read");
  EXPECT_EQ(refusal({.name_bytes = 4}),
            "rounds[0][0].rule: a name has 12 bytes; at most 4 are read");
}

TEST(MovesJson, BelongsToOneGraphWhateverItsWeights) {
  const auto graph = [](std::string_view weights) {
    return parse("x: f32[1,4,5,5]\ny = Conv(x, " + std::string(weights) +
                 ": f32[6,2,3,3]) group=2");
  };
  const SavedMoves moves{.graph = hash(graph("w"), HashWeights::TypesOnly)};
  check_belongs(moves, graph("v"));
  EXPECT_THROW(check_belongs(moves, parse("x: f32[2]\ny = Relu(x)")), Error);
}

TEST(MovesJson, IsReplayedThroughTheRules) {
  const Graph graph = parse("x: f32[1,4,5,5]\ny = Conv(x, w: f32[6,2,3,3]) group=2");
  const auto after = [&](std::string_view rule) {
    const SavedMoves moves{
        .rounds = {{{.rule = std::string(rule), .anchor = "y", .parameters = {2}}}}};
    RewrittenGraph rewritten(graph, rewrite_limits(graph));
    rewritten.replay(moves_from_json(to_json(moves)).rounds);
    return print(rewritten.graph());
  };
  EXPECT_NE(after("merge-groups").find("group=1"), std::string::npos);
  EXPECT_THROW(after("no-such-rule"), Error);
}

}  // namespace
}  // namespace braid
