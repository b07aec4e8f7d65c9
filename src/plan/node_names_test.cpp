#include "plan/node_names.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"

namespace braid {
namespace {

const char* const kModel = R"(
    x: f32[4]
    c: f32[4] = Relu(x) @"conv"
    b: f32[4] = Neg(c) @"norm"
    r: f32[4] = Relu(b) @"relu"
    p: f32[4] = Neg(c) @"pool"
    y: f32[4] = Add(r, p) @"sum")";

/// A graph in which `conv` to `relu` have become one node and `sum` is as it was.
const char* const kLowered = R"(
    x: f32[4]
    c: f32[4] = Relu(x) <k> @"conv"
    r: f32[4] = Neg(c) <k> @"norm/relu"
    y: f32[4] = Sub(r, c) <k> @"sum/pool")";

NodeId made(const Graph& graph, std::string_view value) {
  return graph.value(graph.find(value)).producer;
}

TEST(NodeNames, ANodeGoesByItsNameAndByItsOutputs) {
  const Graph graph = parse_graph(kLowered, {});
  const NodeNames names(graph);
  EXPECT_EQ(names.called("conv"), (std::vector{made(graph, "c")}));
  EXPECT_EQ(names.called("c"), (std::vector{made(graph, "c")}));
  EXPECT_TRUE(names.called("x").empty());
  EXPECT_TRUE(names.called("relu").empty());
}

TEST(NodeNames, AVanishedNodeStandsForTheOneThatItIsPartOf) {
  const Graph graph = parse_graph(kLowered, {});
  const NodeNames names(graph, original_nodes(parse_graph(kModel, {})));
  EXPECT_EQ(names.called("relu"), (std::vector{made(graph, "r")}));
  EXPECT_EQ(names.called("norm"), (std::vector{made(graph, "r")})) << "its only reader is relu";
  EXPECT_EQ(names.called("pool"), (std::vector{made(graph, "y")}));
  EXPECT_EQ(names.called("conv"), (std::vector{made(graph, "c")}));
}

TEST(NodeNames, PatternsMeanAllThatMatch) {
  const Graph graph = parse_graph(kLowered, {});
  const NodeNames names(graph);
  EXPECT_EQ(names.find(NodePattern{"*/*", true}),
            (std::vector{made(graph, "r"), made(graph, "y")}));
  EXPECT_EQ(names.find(NodePattern{"?", true}).size(), 3U);
  EXPECT_THROW(names.find(NodePattern{"*/*", false}), Error) << "quoted, it is a name";
}

TEST(NodeNames, WhatIsNotThereIsGuessed) {
  const Graph graph = parse_graph(kLowered, {});
  const NodeNames names(graph);
  try {
    names.find(NodePattern{"norm/rel", false});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    EXPECT_EQ(error.message(),
              "the graph has no node 'norm/rel'; is it 'norm/relu'? `braid plan MODEL --steps` "
              "lists them");
  }
}

TEST(Matches, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c", "abbc"));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(matches("??", "ab"));
  EXPECT_FALSE(matches("a*c", "abcd"));
  EXPECT_FALSE(matches("?", ""));
  EXPECT_FALSE(matches("", "a"));
  const std::string many_stars = "*a*a*a*a*a*a*a*a*a*b";
  EXPECT_FALSE(matches(many_stars, std::string(50'000, 'a'))) << "and it does not take forever";
}

}  // namespace
}  // namespace braid
