#include "optimise/segment_search.h"

#include <map>

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "optimise/testing/blocks.h"
#include "optimise/testing/replayed.h"

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

/// What every graph costs that the rules make.
std::map<Hash128, double> all_rewritings(const Graph& graph, const std::vector<std::string>& rules,
                                         const CostOfRewriting& cost) {
  std::map<Hash128, double> known;
  std::vector<Graph> open = {graph};
  known[key_of(graph)] = cost(graph);
  while (!open.empty()) {
    const Graph at = std::move(open.back());
    open.pop_back();
    for (const PositionalMove& move : all_moves(at, rules)) {
      RewrittenGraph next(at, rewrite_limits(graph));
      EXPECT_TRUE(next.apply(*move.rule, move.match));
      next.end_round();
      if (known.emplace(key_of(next.graph()), cost(next.graph())).second)
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
    const auto cheaper = [](const auto& a, const auto& b) { return a.second < b.second; };
    const double cheapest = std::ranges::min_element(all, cheaper)->second;
    const auto result = search_segment(graph, cost, {.gamma = 1e9, .rules = rules});
    EXPECT_EQ(result.stop, SegmentStop::Exhausted);
    EXPECT_EQ(result.costed + 1, all.size());
    EXPECT_EQ(result.pops, all.size());
    EXPECT_EQ(result.cost_before, cost(graph));
    EXPECT_EQ(result.cost, cheapest);
    const auto made = replayed(graph, result.rounds);
    ASSERT_TRUE(made);
    EXPECT_EQ(cost(made->graph()), cheapest);
  }
}

TEST(SearchSegment, LeavesWhatIsCheapest) {
  const Graph graph = grouped_block();
  const CostOfRewriting as_given = [&](const Graph& one) {
    return key_of(one) == key_of(graph) ? 1.0 : 2.0;
  };
  const auto result = search_segment(graph, as_given);
  EXPECT_GT(result.candidates, 0U);
  EXPECT_EQ(result.cost, result.cost_before);
  EXPECT_TRUE(result.rounds.empty());
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
  EXPECT_LE(result.cost, 102);
  ASSERT_EQ(result.rounds.size(), 1U);
  EXPECT_GE(result.rounds[0].size(), 2U);
}

TEST(SearchSegment, MakesAllMovesThatGainAtOnce) {
  const Graph graph = grouped_block();
  const auto result =
      search_segment(graph, wants_groups(2), {.limits = {.pops = 1}, .rules = {"merge-groups"}});
  EXPECT_EQ(result.cost, 40);
  ASSERT_EQ(result.rounds.size(), 1U);
  EXPECT_EQ(result.rounds[0].size(), 3U);
}

TEST(SearchSegment, GoesThroughWorseGraphsWithinGamma) {
  const Graph graph = canonical_graph(R"(
      x: f32[1,8,4,4]
      a = Conv(x, wa: f32[8,2,1,1]) group=4
      b = Conv(a, wb: f32[8,4,1,1]) group=2
      return b)");
  // Four groups and two become one and one by two moves of different parameters.
  const CostOfRewriting hill = [](const Graph& one) {
    std::int64_t groups = 0;
    for (const NodeId id : one.node_ids()) groups += one.node(id).attributes.integer("group", 1);
    return groups == 6 ? 100.0 : groups == 3 ? 104.0 : groups == 2 ? 90.0 : 200.0;
  };
  const auto hasty = search_segment(graph, hill, {.gamma = 1.0, .rules = {"merge-groups"}});
  EXPECT_EQ(hasty.cost, 100);
  const auto patient = search_segment(graph, hill, {.gamma = 1.05, .rules = {"merge-groups"}});
  EXPECT_EQ(patient.cost, 90);
  EXPECT_EQ(patient.rounds.size(), 2U);
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
    const auto result = search_segment(graph, wants_groups(1),
                                       {.limits = {.pops = 10, .candidates = 100}, .gamma = 2});
    EXPECT_LT(result.cost, result.cost_before);
    const auto made = replayed(graph, result.rounds);
    ASSERT_TRUE(made);
    expect_same_outputs(graph, made->graph(), "found");
  }
}

TEST(AllMoves, FitTheirGraph) {
  const Graph graph = concat_block();
  const auto moves = all_moves(graph);
  EXPECT_FALSE(moves.empty());
  for (const PositionalMove& move : moves) EXPECT_TRUE(fits(move, graph));
}

}  // namespace
}  // namespace braid
