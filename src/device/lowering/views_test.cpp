#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/lowering/rules.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"

namespace braid {
namespace {

using testing::ElementsAre;

/// The graph's Concats, Splits and copies after both steps: "y = Concat:view(a, b)".
std::vector<std::string> lowered(std::string_view text) {
  Graph graph = parse(text);
  Allowance allowance;
  for (const RewriteStep& step : {split_as_view(), concat_as_view()})
    run_step(step, graph, allowance);
  verify(graph);
  std::vector<std::string> found;
  for (const NodeId id : graph.nodes_in_order()) {
    const Node& node = graph.node(id);
    if (node.op != "Concat" && node.op != "Split" && node.op != "Identity") continue;
    const auto names = [&](const std::vector<ValueId>& values) {
      std::string list;
      for (const ValueId value : values)
        list += (list.empty() ? "" : ", ") + graph.value(value).name;
      return list;
    };
    const std::string how = node.lowering.implementation;
    found.push_back(names(node.outputs) + " = " + node.op + (how.empty() ? "" : ":" + how) + "(" +
                    names(node.inputs) + ")");
  }
  return found;
}

TEST(ConcatAsView, WhatMakesItsInputsWritesThere) {
  EXPECT_THAT(lowered(R"(
      x: f32[1,8,4,4]
      a = Relu(x)
      b = Tanh(a)
      c = Concat(a, b) axis=1
      y = Relu(c))"),
              ElementsAre("c = Concat:view(a, b)"));
}

TEST(ConcatAsView, PiecesAreDense) {
  constexpr std::string_view batch_of_two = R"(
      x: f32[2,8,4,4]
      a = Relu(x)
      b = Tanh(x)
      c = Concat(a, b) axis={}
      y = Relu(c))";
  const auto along = [&](const std::string& axis) {
    std::string text(batch_of_two);
    return lowered(text.replace(text.find("{}"), 2, axis));
  };
  EXPECT_THAT(along("0"), ElementsAre("c = Concat:view(a, b)"));
  EXPECT_THAT(along("1"), ElementsAre("c = Concat(a, b)"));
  EXPECT_THAT(along("-1"), ElementsAre("c = Concat(a, b)"));
}

TEST(ConcatAsView, WhatIsNotInTheArenaIsCopied) {
  EXPECT_THAT(lowered(R"(
      x: f32[1,8,4,4]
      a = Relu(x)
      c = Concat(x, a) axis=1
      y = Relu(c))"),
              ElementsAre("c/copy = Identity:copy(x)", "c = Concat:view(c/copy, a)"));
  EXPECT_THAT(lowered(R"(
      x: f32[1,8,4,4]
      a = Relu(x)
      c = Concat(a, w: f32[1,2,4,4]) axis=1
      y = Relu(c))"),
              ElementsAre("c/copy = Identity:copy(w)", "c = Concat:view(a, c/copy)"));
}

TEST(ConcatAsView, NeighboursAreCopiedByOneNode) {
  EXPECT_THAT(lowered(R"(
      x: f32[1,8,4,4]
      a = Relu(x)
      c = Concat(w: f32[1,2,4,4], x, a) axis=1
      y = Relu(c))"),
              ElementsAre("c/copy = Concat(w, x)", "c = Concat:view(c/copy, a)"));
}

TEST(ConcatAsView, ManyCopiesOfMuchAreNotWorthIt) {
  constexpr std::string_view between = R"(
      x: f32[1,{},4,4]
      z: f32[1,8,4,4]
      a = Relu(z)
      c = Concat(x, a, x) axis=1
      y = Relu(c))";
  const auto with = [&](const std::string& channels) {
    std::string text(between);
    return lowered(text.replace(text.find("{}"), 2, channels));
  };
  EXPECT_THAT(with("5"), ElementsAre("c = Concat(x, a, x)"));
  EXPECT_THAT(with("4"), ElementsAre("c/copy = Identity:copy(x)", "c/copy_1 = Identity:copy(x)",
                                     "c = Concat:view(c/copy_1, a, c/copy)"));
}

TEST(ConcatAsView, NothingLiesInTwoPlaces) {
  EXPECT_THAT(
      lowered(R"(
      x: f32[1,8,4,4]
      a = Relu(x)
      b = Tanh(x)
      c = Concat(a, b) axis=1
      e = Exp(x)
      d = Concat(b, a, e) axis=1
      f = Exp(x)
      g = Concat(f, f) axis=1
      h = Add(c, c)
      y = Relu(d)
      z = Relu(g)
      return h
      return y
      return z)"),
      ElementsAre("c = Concat:view(a, b)", "d/copy = Concat(b, a)", "d = Concat:view(d/copy, e)",
                  "g/copy = Identity:copy(f)", "g = Concat:view(f, g/copy)"));
}

TEST(ConcatAsView, ANestedOneLiesInTheOuter) {
  EXPECT_THAT(lowered(R"(
      x: f32[1,8,4,4]
      a = Relu(x)
      b = Tanh(x)
      c = Concat(a, b) axis=1
      d = Exp(c)
      e = Concat(c, d) axis=1
      y = Relu(e))"),
              ElementsAre("c = Concat:view(a, b)", "e = Concat:view(c, d)"));
}

TEST(ConcatAsView, ReshapesShareTheirBytes) {
  EXPECT_THAT(lowered(R"(
      x: f32[1,8,4,4]
      a = Relu(x)
      flat = Reshape(a, shape: i64[2] = {1,128})
      b = Tanh(flat)
      c = Concat(flat, b) axis=1
      d = Exp(x)
      e = Concat(d, a) axis=1
      y = Relu(c)
      z = Relu(e)
      return y
      return z)"),
              ElementsAre("c = Concat:view(flat, b)", "e/copy = Identity:copy(a)",
                          "e = Concat:view(d, e/copy)"));
}

TEST(ConcatAsView, OutputsStay) {
  EXPECT_THAT(lowered("x: f32[1,8]\na = Relu(x)\ny = Concat(a, x) axis=1"),
              ElementsAre("y = Concat(a, x)"));
  EXPECT_THAT(lowered(R"(
      x: f32[1,8]
      a = Relu(x)
      b = Tanh(x)
      c = Concat(a, b) axis=1
      y = Relu(c)
      return a
      return y)"),
              ElementsAre("c/copy = Identity:copy(a)", "c = Concat:view(c/copy, b)"));
}

TEST(ConcatAsView, EmptyPiecesStay) {
  EXPECT_THAT(lowered("x: f32[1,8]\ne: f32[1,0]\na = Relu(x)\nb = Relu(e)\n"
                      "c = Concat(a, b) axis=1\ny = Relu(c)"),
              ElementsAre("c = Concat(a, b)"));
}

TEST(SplitAsView, PiecesLieInTheInput) {
  constexpr std::string_view split = R"(
      x: f32[{},8,4,4]
      a = Relu(x)
      b, c = Split(a) axis=1 num_outputs=2
      y = Add(b, c))";
  const auto with = [&](const std::string& batch) {
    std::string text(split);
    return lowered(text.replace(text.find("{}"), 2, batch));
  };
  EXPECT_THAT(with("1"), ElementsAre("b, c = Split:view(a)"));
  EXPECT_THAT(with("2"), ElementsAre("b, c = Split(a)"));
}

TEST(SplitAsView, ModelInputsAreCopied) {
  EXPECT_THAT(lowered("x: f32[1,8]\na, b = Split(x) axis=1 num_outputs=2\ny = Add(a, b)"),
              ElementsAre("a, b = Split(x)"));
}

TEST(SplitAsView, APieceIsCopiedIntoAConcat) {
  EXPECT_THAT(lowered(R"(
      x: f32[1,8,4,4]
      a = Relu(x)
      b, c = Split(a) axis=1 num_outputs=2
      d = Tanh(c)
      e = Concat(b, d) axis=1
      y = Relu(e))"),
              ElementsAre("b, c = Split:view(a)", "e/copy = Identity:copy(b)",
                          "e = Concat:view(e/copy, d)"));
}

}  // namespace
}  // namespace braid
