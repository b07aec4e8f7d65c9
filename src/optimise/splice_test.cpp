#include "optimise/splice.h"

#include <set>

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "optimise/partition.h"
#include "optimise/segment.h"
#include "optimise/testing/blocks.h"
#include "optimise/testing/replayed.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

using Rules = std::vector<std::string>;

/// Rounds of random moves in a segment.
std::vector<PositionalRound> random_rounds(const Graph& segment, const Rules& rules,
                                           std::mt19937& random, int count) {
  std::vector<PositionalRound> rounds;
  RewrittenGraph rewritten(segment, rewrite_limits(segment));
  for (int i = 0; i < count; ++i) {
    PositionalRound round;
    for (int k = 0; k < 2; ++k) {
      const auto moves = all_moves(rewritten.graph(), rules);
      if (moves.empty()) break;
      const PositionalMove& move = moves[random() % moves.size()];
      if (rewritten.apply(*move.rule, move.match)) round.push_back(move);
    }
    rewritten.end_round();
    if (!round.empty()) rounds.push_back(std::move(round));
  }
  return rounds;
}

/// What lies between values of these names, as a hash; the names are those of a segment's rim.
std::optional<Hash128> region_hash(const Graph& graph, const Graph& segment) {
  std::set<ValueId> known;
  std::vector<ValueId> open;
  for (const ValueId input : segment.inputs()) known.insert(graph.find(segment.value(input).name));
  for (const GraphOutput& output : segment.outputs()) open.push_back(graph.find(output.name));
  if (known.contains(ValueId()) || std::ranges::count(open, ValueId()) > 0) return std::nullopt;
  std::set<NodeId> nodes;
  while (!open.empty()) {
    const ValueId at = open.back();
    open.pop_back();
    const NodeId producer = graph.value(at).producer;
    if (!known.insert(at).second || !producer.valid()) continue;
    nodes.insert(producer);
    for (const ValueId input : graph.node(producer).inputs)
      if (input.valid()) open.push_back(input);
  }
  const std::vector<NodeId> list(nodes.begin(), nodes.end());
  return hash(cut_out(graph, NodePlaces(graph), list).graph, HashWeights::TypesOnly);
}

struct Solved {
  Graph segment;
  std::vector<PositionalRound> rounds;
};

std::vector<Solved> random_solutions(const Graph& graph, const Rules& rules, std::size_t size_lower,
                                     std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Solved> solved;
  const NodePlaces places(graph);
  for (const Part& part : partition(graph, match_bonds(graph), {.size_lower = size_lower})) {
    Graph segment = cut_out(graph, places, part).graph;
    auto rounds = random_rounds(segment, rules, random, 1 + static_cast<int>(random() % 3));
    solved.push_back({std::move(segment), std::move(rounds)});
  }
  return solved;
}

Spliced spliced_into(const Graph& graph, const std::vector<Solved>& solved) {
  std::vector<SegmentRewriting> rewritings;
  for (const Solved& one : solved) rewritings.push_back({&one.segment, &one.rounds});
  return splice(graph, rewritings, rewrite_limits(graph));
}

/// Compares every segment of the spliced graph with what it became alone. Returns how many are
/// equal.
std::size_t equal_segments(const Graph& graph, const std::vector<Solved>& solved) {
  std::size_t equal = 0;
  for (const Solved& one : solved) {
    const auto alone = replayed(one.segment, one.rounds);
    EXPECT_TRUE(alone);
    const auto expected = region_hash(alone->graph(), one.segment);
    equal += expected && region_hash(graph, one.segment) == expected ? 1 : 0;
  }
  return equal;
}

TEST(Splice, MakesTheSegmentsOwnResultsInTheGraph) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed)
    for (const Graph& graph : {two_cells(), concat_block(), grouped_block()}) {
      const auto solved =
          random_solutions(graph, {"merge-groups", "activate-before-concat"}, 6, seed);
      const Spliced spliced = spliced_into(graph, solved);
      EXPECT_EQ(spliced.lost, 0U);
      EXPECT_EQ(equal_segments(spliced.graph.graph(), solved), solved.size()) << seed;
      expect_same_outputs(graph, spliced.graph.graph(), "spliced");
      RewrittenGraph again(graph, rewrite_limits(graph));
      again.replay(spliced.graph.rounds());
      EXPECT_EQ(print(again.graph()), print(spliced.graph.graph()));
    }
}

/// The nodes, by what they read and make.
std::set<std::string> node_lines(const Graph& graph) {
  std::set<std::string> lines;
  for (const NodeId id : graph.node_ids()) {
    std::string line = graph.node(id).op;
    for (const ValueId input : graph.node(id).inputs)
      line += input.valid() ? " " + graph.value(input).name : " -";
    for (const ValueId output : graph.node(id).outputs)
      line += " > " + graph.value(output).name + " " + to_string(graph.value(output).type);
    lines.insert(std::move(line));
  }
  return lines;
}

TEST(Splice, MakesThemInAModel) {
  const Graph graph = canonicalise(zoo::build("nasnet-a-mobile", {.image_size = 64})).graph;
  const auto solved = random_solutions(graph, {"merge-groups"}, 40, 1);
  const Spliced spliced = spliced_into(graph, solved);
  EXPECT_EQ(spliced.lost, 0U);
  std::set<std::string> expected;
  for (const Solved& one : solved)
    expected.merge(node_lines(replayed(one.segment, one.rounds)->graph()));
  EXPECT_EQ(node_lines(spliced.graph.graph()), expected);
}

// An activation that moves to the rim of its segment is fused with what lies before the rim.
TEST(Splice, TidiesAcrossTheRim) {
  const Graph graph = canonical_graph(R"(
      x: f32[1,4,4,4]
      a = Conv(x, wa: f32[4,4,1,1])
      b = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      j = Concat(a, b) axis=1
      r = Relu(j)
      return r)");
  ASSERT_TRUE(graph.find("j").valid());
  const Graph segment = cut_out(graph, NodePlaces(graph),
                                std::vector{graph.value(graph.find("j")).producer,
                                            graph.value(graph.find("r")).producer})
                            .graph;
  const std::vector<PositionalRound> rounds = {all_moves(segment, {"activate-before-concat"})};
  const SegmentRewriting rewriting{&segment, &rounds};
  const Spliced spliced = splice(graph, std::span(&rewriting, 1), rewrite_limits(graph));
  EXPECT_EQ(spliced.lost, 0U);
  // The convolution takes in its Relu; the pool's stays.
  EXPECT_EQ(spliced.graph.graph().node_count(), 4U);
  expect_same_outputs(graph, spliced.graph.graph(), "spliced");
}

// The name that the segment gives to a new value is taken in the graph, and the second move is
// about that value.
TEST(Splice, FollowsValuesWhoseNamesDiffer) {
  const Graph graph = canonical_graph(R"(
      p: f32[1,2,2,4]
      q: f32[1,2,2,4]
      b: f32[1,2,4,4]
      "a/Relu" = Sigmoid(b)
      a = Concat(p, q) axis=2
      j = Concat(a, b) axis=1
      r = Relu(j)
      return r, a, "a/Relu")");
  std::vector<NodeId> nodes;
  for (const char* name : {"a", "j", "r"}) nodes.push_back(graph.value(graph.find(name)).producer);
  const Graph segment = cut_out(graph, NodePlaces(graph), nodes).graph;
  const std::vector<std::string> rule = {"activate-before-concat"};
  RewrittenGraph own(segment, rewrite_limits(segment));
  std::vector<PositionalRound> rounds;
  for (int i = 0; i < 2; ++i) {
    const auto moves = all_moves(own.graph(), rule);
    ASSERT_EQ(moves.size(), 1U);
    ASSERT_TRUE(own.apply(*moves[0].rule, moves[0].match));
    own.end_round();
    rounds.push_back({moves[0]});
  }
  ASSERT_EQ(own.rounds()[1][0].anchor, "a/Relu");
  const SegmentRewriting rewriting{&segment, &rounds};
  const Spliced spliced = splice(graph, std::span(&rewriting, 1), rewrite_limits(graph));
  EXPECT_EQ(spliced.lost, 0U);
  EXPECT_EQ(spliced.graph.rounds()[1][0].anchor, "a/Relu_1");
  EXPECT_EQ(region_hash(spliced.graph.graph(), segment), region_hash(own.graph(), segment));
  expect_same_outputs(graph, spliced.graph.graph(), "spliced");
}

}  // namespace
}  // namespace braid
