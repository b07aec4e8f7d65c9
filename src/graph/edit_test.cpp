#include "graph/edit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "graph/order.h"
#include "graph/testing/random_graph.h"
#include "graph/text.h"
#include "graph/verify.h"

namespace braid {
namespace {

Graph read(std::string_view text) { return parse_graph(text, {}); }

Node node_of(std::string op, std::vector<ValueId> inputs) {
  Node node;
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  return node;
}

/// Applies the edit and expects a valid graph afterwards.
std::string applied(Graph graph, const GraphEdit& edit) {
  graph.apply(edit);
  verify(graph);
  return print(graph);
}

/// Expects that the edit is refused and that nothing changed.
std::string refusal(Graph& graph, const GraphEdit& edit) {
  const std::string before = print(graph, {.types = true});
  const std::size_t values = graph.value_limit();
  const std::size_t nodes = graph.node_limit();
  try {
    graph.apply(edit);
  } catch (const Error& error) {
    verify(graph);
    EXPECT_EQ(print(graph, {.types = true}), before);
    EXPECT_EQ(graph.value_limit(), values);
    EXPECT_EQ(graph.node_limit(), nodes);
    return error.message();
  }
  return "no error";
}

constexpr std::string_view kChain =
    "x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = B(a)\nc: f32[2] = C(b)\n";

TEST(GraphEdit, ReplacesAndRemovesWhatNobodyUsesAnyMore) {
  const Graph graph = read(kChain);
  GraphEdit edit("fuse");
  edit.replace(graph.find("b"), edit.add_node(node_of("AB", {graph.find("x")}), {kSmallType})[0]);
  EXPECT_EQ(applied(graph, edit), "x: f32[2]\nb = AB(x)\nc = C(b)\n");
}

TEST(GraphEdit, BypassesANode) {
  const Graph graph = read(kChain);
  GraphEdit edit("bypass");
  edit.replace(graph.find("b"), graph.find("a"));
  EXPECT_EQ(applied(graph, edit), "x: f32[2]\na = A(x)\nc = C(a)\n");
}

TEST(GraphEdit, AnOutputKeepsItsName) {
  const Graph graph = read(kChain);
  GraphEdit edit("bypass");
  edit.replace(graph.find("c"), graph.find("x"));
  EXPECT_EQ(applied(graph, edit), "x: f32[2]\nreturn x as \"c\"\n");
}

TEST(GraphEdit, AWrapperMayReadWhatItReplaces) {
  const Graph graph = read(kChain);
  GraphEdit edit("wrap");
  const ValueId a = graph.find("a");
  edit.replace(a, edit.add_node(node_of("W", {a}), {kSmallType})[0]);
  EXPECT_EQ(applied(graph, edit), "x: f32[2]\na = A(x)\nW = W(a)\nb = B(W)\nc = C(b)\n");
}

TEST(GraphEdit, ReplacesByAConstant) {
  const Graph graph = read(kChain);
  GraphEdit edit("fold");
  edit.replace(graph.find("a"), edit.add_constant("k", Tensor::of<float>({2}, {1, 2})));
  EXPECT_EQ(applied(graph, edit), "x: f32[2]\nb = B(a: f32[2] = {1.0,2.0})\nc = C(b)\n");
}

TEST(GraphEdit, RedirectsEveryUseOfANodeThatReadsTwice) {
  const Graph graph = read("x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = B(a, a)\n");
  GraphEdit edit("bypass");
  edit.replace(graph.find("a"), graph.find("x"));
  EXPECT_EQ(applied(graph, edit), "x: f32[2]\nb = B(x, x)\n");
}

TEST(GraphEdit, DropsNewThingsThatNothingUses) {
  const Graph graph = read(kChain);
  GraphEdit edit("idle");
  edit.add_constant("k", Tensor::scalar(1.0F));
  edit.add_node(node_of("N", {graph.find("a")}), {kSmallType});
  EXPECT_EQ(applied(graph, edit), print(graph));
}

TEST(GraphEdit, KeepsOtherOutputsOfAReplacedNode) {
  const Graph graph =
      read("x: f32[2]\na: f32[2], b: f32[2] = A(x)\nc: f32[2] = B(a)\nd: f32[2] = B(b)\n");
  GraphEdit edit("half");
  edit.replace(graph.find("a"), graph.find("x"));
  EXPECT_EQ(applied(graph, edit), "x: f32[2]\na, b = A(x)\nc = B(x)\nd = B(b)\nreturn c, d\n");
}

/// The second output was gone, and its name with it, before its heir was looked at.
TEST(GraphEdit, EveryOutputOfAReplacedNodeLeavesItsName) {
  const Graph graph = read("x: f32[2]\na: f32[2], b: f32[2] = A(x)\ny: f32[2] = B(a, b)\n");
  GraphEdit edit("test");
  for (const char* name : {"a", "b"})
    edit.replace(graph.find(name), edit.add_node(node_of("C", {graph.find("x")}), {kSmallType})[0]);
  EXPECT_EQ(applied(graph, edit), "x: f32[2]\na = C(x)\nb = C(x)\ny = B(a, b)\n");
}

TEST(GraphEdit, RefusesACycle) {
  Graph graph = read(kChain);
  GraphEdit edit("loop");
  edit.replace(graph.find("a"), graph.find("c"));
  EXPECT_EQ(refusal(graph, edit), "edit 'loop' would make a cycle through 'b' (B)");
  GraphEdit by_new("loop");
  by_new.replace(graph.find("a"),
                 by_new.add_node(node_of("N", {graph.find("c")}), {kSmallType})[0]);
  EXPECT_EQ(refusal(graph, by_new), "edit 'loop' would make a cycle through 'b' (B)");
}

TEST(GraphEdit, RefusesACycleThatTwoReplacementsMake) {
  Graph graph =
      read("x: f32[2]\na: f32[2] = A(x)\nb: f32[2] = B(a)\nc: f32[2] = A(x)\nd: f32[2] = B(c)\n");
  GraphEdit edit("cross");
  edit.replace(graph.find("a"), graph.find("d"));
  edit.replace(graph.find("c"), graph.find("b"));
  EXPECT_EQ(refusal(graph, edit), "edit 'cross' would make a cycle through 'b' (B)");
}

TEST(GraphEdit, RefusesAnotherType) {
  Graph graph = read("x: f32[2]\na: f32[1,2] = A(x)\nb: f32[2] = B(a)\n");
  GraphEdit edit("retype");
  edit.replace(graph.find("a"), graph.find("x"));
  EXPECT_EQ(refusal(graph, edit),
            "edit 'retype' replaces 'a' of type f32[1,2] by a value of type f32[2]");
}

TEST(GraphEdit, RefusesValuesThatDoNotExist) {
  Graph graph = read(kChain);
  GraphEdit reads("reads");
  reads.add_node(node_of("N", {ValueId(99)}), {kSmallType});
  EXPECT_EQ(refusal(graph, reads), "edit 'reads' reads a value that does not exist");
  GraphEdit replaces("replaces");
  replaces.replace(ValueId(99), graph.find("x"));
  EXPECT_EQ(refusal(graph, replaces), "edit 'replaces' replaces a value that does not exist");
  GraphEdit self("self");
  self.replace(graph.find("a"), graph.find("a"));
  EXPECT_EQ(refusal(graph, self), "edit 'self' replaces a value that does not exist");
}

TEST(GraphEdit, RefusesChainsOfReplacements) {
  Graph graph = read(kChain);
  GraphEdit chain("chain");
  chain.replace(graph.find("c"), graph.find("b"));
  chain.replace(graph.find("b"), graph.find("a"));
  EXPECT_EQ(refusal(graph, chain),
            "edit 'chain' replaces 'b' and also puts it in the place of another value");
  GraphEdit twice("twice");
  twice.replace(graph.find("c"), graph.find("b"));
  twice.replace(graph.find("c"), graph.find("a"));
  EXPECT_EQ(refusal(graph, twice), "edit 'twice' replaces 'c' twice");
}

TEST(GraphEdit, IsMadeOfSoundParts) {
  GraphEdit edit("parts");
  EXPECT_THROW(edit.add_constant("k", Tensor()), Error);
  EXPECT_THROW(edit.add_node(node_of("N", {}), {{ElementType::F32, {-1}}}), Error);
}

/// One random edit: bypass a node, wrap a value, or put a new node in the place of another.
GraphEdit random_edit(const Graph& graph, std::mt19937& random) {
  const auto pick = [&](const auto& list) {
    return list[std::uniform_int_distribution<std::size_t>(0, list.size() - 1)(random)];
  };
  const std::vector<ValueId> values = graph.value_ids();
  GraphEdit edit("random");
  switch (random() % 4) {
    case 0:
      edit.replace(pick(values), pick(values));
      break;
    case 1: {
      const ValueId old = pick(values);
      edit.replace(old, edit.add_node(node_of("N", {old}), {kSmallType})[0]);
      break;
    }
    case 2: {
      const ValueId constant = edit.add_constant("k", Tensor::of<float>({2}, {1, 2}));
      const ValueId middle =
          edit.add_node(node_of("M", {pick(values), constant}), {kSmallType, kSmallType})[1];
      edit.replace(pick(values),
                   edit.add_node(node_of("N", {middle, pick(values)}), {kSmallType})[0]);
      break;
    }
    default:
      edit.replace(pick(values), pick(values));
      edit.replace(pick(values), pick(values));
  }
  return edit;
}

RC_GTEST_PROP(GraphEdit, AnySequenceLeavesAValidGraph, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::mt19937 random(seed);
  Graph graph = random_graph(seed, 12);
  const std::size_t outputs = graph.outputs().size();
  int taken = 0;
  for (int i = 0; i < 15; ++i) {
    const std::string before = print(graph, {.types = true});
    try {
      graph.apply(random_edit(graph, random));
      ++taken;
    } catch (const Error& error) {
      RC_ASSERT(error.kind() == ErrorKind::Internal);
      RC_ASSERT(print(graph, {.types = true}) == before);
    }
    verify(graph);
    RC_ASSERT(graph.outputs().size() == outputs);
  }
  RC_ASSERT(taken > 0);
  // Everything that is left is needed or was there from the start.
  const std::size_t nodes = graph.node_count();
  RC_ASSERT(nodes - graph.remove_dead() == graph.node_count());
  verify(graph);
}

TEST(GraphEdit, ManyEditsInOneGapKeepTheOrder) {
  Graph graph = read(kChain);
  for (int i = 0; i < 300; ++i) {
    GraphEdit edit("wrap");
    const ValueId a = graph.find("a");
    edit.replace(a, edit.add_node(node_of("W", {a}), {kSmallType})[0]);
    graph.apply(edit);
  }
  verify(graph);
  EXPECT_EQ(depth(graph, [](const Node&) { return true; }), 303);
}

TEST(Graph, RemovesDeadNodesAndConstants) {
  Graph graph = read(
      "x: f32[2]\na: f32[2] = A(x, k: f32[1] = {1})\nb: f32[2] = B(a)\nc: f32[2] = C(x)\nreturn "
      "c\n");
  EXPECT_EQ(graph.remove_dead(), 2);
  verify(graph);
  EXPECT_EQ(print(graph), "x: f32[2]\nc = C(x)\n");
  EXPECT_FALSE(graph.find("k").valid());
}

TEST(Graph, RemovesANodeThatNobodyAskedAnythingOf) {
  Graph graph = read("x: f32[2]\n- = A(x)\nc: f32[2] = C(x)\nreturn c\n");
  EXPECT_EQ(graph.remove_dead(), 1);
  verify(graph);
}

TEST(Graph, NamesAreUnique) {
  Graph graph;
  const ValueId a = graph.add_input("x", kSmallType);
  const ValueId b = graph.add_input("x", kSmallType);
  const ValueId c = graph.add_input("", kSmallType);
  EXPECT_EQ(graph.value(a).name, "x");
  EXPECT_EQ(graph.value(b).name, "x_1");
  EXPECT_FALSE(graph.value(c).name.empty());
  graph.rename(b, "y");
  EXPECT_EQ(graph.find("y"), b);
  EXPECT_FALSE(graph.find("x_1").valid());
  EXPECT_THROW(graph.rename(b, "x"), Error);
  verify(graph);
}

TEST(Graph, ANodeOfAnImpossibleTypeChangesNothing) {
  Graph graph = read(kChain);
  const std::size_t values = graph.value_limit();
  EXPECT_THROW(
      graph.add_node(node_of("N", {graph.find("x")}), {kSmallType, {ElementType::F32, {-1}}}),
      Error);
  EXPECT_EQ(graph.value_limit(), values);
  verify(graph);
}

TEST(Graph, AnOutputIsListedOnce) {
  Graph graph = read(kChain);
  EXPECT_THROW(graph.add_output(graph.find("a"), "c"), Error);
  graph.add_output(graph.find("c"), "again");
  verify(graph);
}

}  // namespace
}  // namespace braid
