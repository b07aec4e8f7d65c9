#include "optimise/segment_search.h"

#include <map>

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "optimise/operator_mark.h"
#include "optimise/segment.h"
#include "optimise/testing/blocks.h"

namespace braid {
namespace {

Hash128 key_of(const Graph& graph) { return hash(graph, HashWeights::TypesOnly); }

/// Convolutions cost the more the further their groups are from `wanted`; everything costs 10.
CostOfRewriting wants_groups(std::int64_t wanted) {
  return [wanted](const Graph& graph) {
    double cost = 0;
    for (const NodeId id : graph.node_ids()) {
      cost += 10;
      if (graph.node(id).op == "Conv")
        cost +=
            std::abs(static_cast<double>(graph.node(id).attributes.integer("group", 1) - wanted));
    }
    return cost;
  };
}

struct Rewritten {
  double cost;
  std::uint64_t mark;
};

/// Every graph that the rules make.
std::map<Hash128, Rewritten> all_rewritings(const Graph& graph,
                                            const std::vector<std::string>& rules,
                                            const CostOfRewriting& cost) {
  std::map<Hash128, Rewritten> known;
  const auto described = [&](const Graph& one) { return Rewritten{cost(one), operator_mark(one)}; };
  std::vector<Graph> open = {graph};
  known[key_of(graph)] = described(graph);
  while (!open.empty()) {
    const Graph at = std::move(open.back());
    open.pop_back();
    for (const PositionalMove& move : all_moves(at, rules)) {
      RewrittenGraph next(at, rewrite_limits(graph));
      EXPECT_TRUE(next.apply(*move.rule, move.match));
      next.end_round();
      if (known.emplace(key_of(next.graph()), described(next.graph())).second)
        open.push_back(next.graph());
    }
  }
  return known;
}

TEST(SearchSegment, FindsTheBestOfAll) {
  const std::vector<std::string> rules = {"merge-groups"};
  const Graph graph = grouped_block();
  for (const std::int64_t wanted : {1, 3}) {
    const CostOfRewriting cost = wants_groups(wanted);
    const auto all = all_rewritings(graph, rules, cost);
    std::map<std::uint64_t, double> cheapest;
    for (const auto& [key, one] : all) {
      const auto [entry, is_new] = cheapest.emplace(one.mark, one.cost);
      entry->second = std::min(entry->second, one.cost);
    }
    std::vector<double> costs;
    for (const auto& [mark, least] : cheapest) costs.push_back(least);
    std::ranges::sort(costs);
    const auto result = search_segment(graph, cost, {.gamma = 1e9, .keep = 7, .rules = rules});
    EXPECT_EQ(result.stop, SegmentStop::Exhausted);
    EXPECT_EQ(result.costed + 1, all.size());
    EXPECT_EQ(result.pops, all.size());
    EXPECT_EQ(result.cost_before, cost(graph));
    ASSERT_EQ(result.solutions.size(), 7U);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(result.solutions[i].cost, costs[i]);
      const auto made = replayed(graph, result.solutions[i].rounds, rewrite_limits(graph));
      ASSERT_TRUE(made);
      EXPECT_EQ(key_of(made->graph()), result.solutions[i].hash);
      EXPECT_EQ(cost(made->graph()), costs[i]);
    }
  }
}

TEST(SearchSegment, MakesEqualMovesAtOnce) {
  const Graph graph = two_cells();
  const CostOfRewriting joined = wants_groups(1);
  // No move that is made alone gains anything.
  const CostOfRewriting all_or_nothing = [&](const Graph& one) {
    const double cost = joined(one);
    return cost == joined(graph) || cost <= 102 ? cost : 1e6;
  };
  const auto result =
      search_segment(graph, all_or_nothing, {.limits = {.pops = 1}, .rules = {"merge-groups"}});
  EXPECT_LE(result.solutions[0].cost, 102);
  ASSERT_EQ(result.solutions[0].rounds.size(), 1U);
  EXPECT_GE(result.solutions[0].rounds[0].size(), 2U);
}

TEST(SearchSegment, MakesAllMovesThatGainAtOnce) {
  const Graph graph = grouped_block();
  const auto result =
      search_segment(graph, wants_groups(2), {.limits = {.pops = 1}, .rules = {"merge-groups"}});
  EXPECT_EQ(result.solutions[0].cost, 40);
  ASSERT_EQ(result.solutions[0].rounds.size(), 1U);
  EXPECT_EQ(result.solutions[0].rounds[0].size(), 3U);
}

TEST(SearchSegment, GoesThroughWorseGraphsWithinGamma) {
  const Graph graph = canonical_graph(R"(
      x: f32[1,8,4,4]
      y = Conv(x, w: f32[8,2,1,1]) group=4
      return y)");
  // Merging by steps only: four groups to two costs more than four, and one costs less.
  const CostOfRewriting hill = [](const Graph& one) {
    double cost = 100;
    for (const NodeId id : one.node_ids()) {
      const std::int64_t groups = one.node(id).attributes.integer("group", 1);
      cost += groups == 2 ? 4 : groups == 1 ? -10 : 0;
    }
    return cost;
  };
  const auto at_once = search_segment(graph, hill, {.gamma = 1.0, .rules = {"merge-groups"}});
  EXPECT_EQ(at_once.solutions[0].cost, 90);
  EXPECT_EQ(at_once.solutions.size(), 2U);
  const auto patient = search_segment(graph, hill, {.gamma = 1.05, .rules = {"merge-groups"}});
  EXPECT_EQ(patient.solutions.size(), 3U);
}

TEST(SearchSegment, SaysWhyItStopped) {
  const Graph graph = concat_block();
  const auto stop_of = [&](SegmentSearchLimits limits) {
    return search_segment(graph, wants_groups(1), {.limits = limits, .gamma = 1e9});
  };
  EXPECT_EQ(stop_of({.pops = 2}).stop, SegmentStop::Pops);
  EXPECT_EQ(stop_of({.pops = 2}).pops, 2U);
  EXPECT_EQ(stop_of({.candidates = 3}).stop, SegmentStop::Candidates);
  EXPECT_EQ(stop_of({.candidates = 3}).candidates, 3U);
  EXPECT_EQ(stop_of({.deadline = std::chrono::steady_clock::now()}).stop, SegmentStop::Time);
  EXPECT_EQ(name(SegmentStop::Time), "the time is over");
}

TEST(SearchSegment, KeepsTheNumbers) {
  for (const Graph& graph : {concat_block(), two_cells()}) {
    const auto result = search_segment(
        graph, wants_groups(1), {.limits = {.pops = 10, .candidates = 100}, .gamma = 2, .keep = 9});
    for (const SegmentSolution& solution : result.solutions) {
      const auto made = replayed(graph, solution.rounds, rewrite_limits(graph));
      ASSERT_TRUE(made);
      expect_same_outputs(graph, made->graph(), "solution");
    }
  }
}

TEST(OperatorMark, AddsUpOverPieces) {
  const Graph graph = two_cells();
  const NodePlaces places(graph);
  const auto ids = graph.nodes_in_order();
  const auto middle = ids.begin() + 4;
  EXPECT_EQ(operator_mark(graph),
            operator_mark(cut_out(graph, places, {ids.begin(), middle}).graph) +
                operator_mark(cut_out(graph, places, {middle, ids.end()}).graph));
  EXPECT_NE(operator_mark(graph), operator_mark(concat_block()));
}

TEST(PositionalMoves, AreNamesAndBack) {
  const Graph graph = concat_block();
  const auto moves = all_moves(graph);
  EXPECT_FALSE(moves.empty());
  for (const PositionalMove& move : moves) {
    EXPECT_TRUE(fits(move, graph));
    EXPECT_EQ(positional(named(move, graph), graph), move);
  }
  EXPECT_FALSE(positional({"merge-groups", "no such node"}, graph));
}

TEST(PositionalMoves, SolveEqualSegments) {
  const Graph graph = two_cells();
  const auto cell = [&](std::string_view number) {
    std::vector<NodeId> nodes;
    for (const NodeId id : graph.node_ids())
      if (graph.value(graph.node(id).outputs[0]).name.ends_with(number)) nodes.push_back(id);
    return cut_out(graph, NodePlaces(graph), nodes).graph;
  };
  const Graph one = cell("1");
  const Graph two = cell("2");
  const auto result = search_segment(one, wants_groups(1), {.limits = {.candidates = 200}});
  EXPECT_LT(result.solutions[0].cost, result.cost_before);
  for (const SegmentSolution& solution : result.solutions) {
    const auto there = replayed(one, solution.rounds, rewrite_limits(one));
    const auto here = replayed(two, solution.rounds, rewrite_limits(two));
    ASSERT_TRUE(there && here);
    EXPECT_EQ(key_of(here->graph()), solution.hash);
    expect_same_outputs(two, here->graph(), "solution of an equal segment");
    EXPECT_EQ(here->rounds() == there->rounds(), solution.rounds.empty());
    RewrittenGraph again(two, rewrite_limits(two));
    again.replay(here->rounds());
    EXPECT_EQ(key_of(again.graph()), solution.hash);
  }
}

}  // namespace
}  // namespace braid
