#include "optimise/partitioned_search.h"

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "optimise/testing/blocks.h"

namespace braid {
namespace {

/// Convolutions want few groups, and nodes of more elements take longer.
double plain_time(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  double elements = 0;
  for (const ValueId output : node.outputs)
    if (output.valid()) elements += static_cast<double>(element_count(graph.value(output).type));
  const double groups =
      node.op == "Conv" ? static_cast<double>(node.attributes.integer("group", 1)) : 0;
  return 1 + groups / 4 + elements / 10000;
}

const SegmentCost kPlainCost = [](const Graph& segment, const Surroundings& around) {
  return mixed_cost_us(segment, plain_time, around, 2);
};

PartitionedSearchOptions small_options() {
  return {.partition = {.size_lower = 5},
          .size_upper = 12,
          .segment = {.limits = {.pops = 8, .candidates = 80}}};
}

void expect_replayable(const Graph& graph, const PartitionedSearchResult& result) {
  for (const GraphCandidate& candidate : result.candidates) {
    RewrittenGraph again(graph, rewrite_limits(graph));
    again.replay(candidate.rounds);
    EXPECT_EQ(to_string(hash(again.graph(), HashWeights::TypesOnly)),
              to_string(hash(candidate.graph, HashWeights::TypesOnly)));
    EXPECT_EQ(candidate.cost, kPlainCost(candidate.graph, {}));
  }
}

TEST(SearchPartitioned, GivesCheaperGraphsThatCanBeMadeAgain) {
  for (const Graph& graph : {two_cells(), concat_block(), grouped_block()}) {
    SegmentMemo memo;
    const auto result = search_partitioned(graph, plain_time, kPlainCost, small_options(), memo);
    EXPECT_EQ(result.cost_before, kPlainCost(graph, {}));
    ASSERT_FALSE(result.candidates.empty());
    EXPECT_LT(result.candidates[0].cost, result.cost_before);
    EXPECT_TRUE(std::ranges::is_sorted(result.candidates, {}, &GraphCandidate::cost));
    expect_replayable(graph, result);
    for (const GraphCandidate& candidate : result.candidates)
      expect_same_outputs(graph, candidate.graph, "candidate");
  }
}

TEST(SearchPartitioned, FindsInPartsWhatTheWholeSearchFinds) {
  const Graph graph = two_cells();
  SegmentMemo memo;
  const auto search = [&](bool use_partition, bool use_dp, bool bonded_only) {
    PartitionedSearchOptions options = small_options();
    options.use_partition = use_partition;
    options.use_dp = use_dp;
    options.bonded_only = bonded_only;
    options.segment = {.limits = {.pops = 100, .candidates = 2000}, .rules = {"merge-groups"}};
    return search_partitioned(graph, plain_time, kPlainCost, options, memo);
  };
  const auto whole = search(false, false, false);
  const auto single = search(true, false, false);
  const auto all = search(true, true, false);
  const auto bonded = search(true, true, true);
  EXPECT_EQ(whole.segments, 1U);
  EXPECT_EQ(single.segments, single.parts);
  EXPECT_GT(all.segments, all.parts);
  EXPECT_EQ(bonded.segments, bonded.parts) << "no match of this rule crosses a cut";
  for (const auto* result : {&single, &all, &bonded})
    EXPECT_EQ(result->candidates[0].cost, whole.candidates[0].cost);
}

TEST(SearchPartitioned, IsTheSameWithAndWithoutMemo) {
  const Graph graph = cells(5);
  PartitionedSearchOptions options;
  options.partition.size_lower = 8;
  options.size_upper = 16;
  options.segment = {.limits = {.pops = 3, .candidates = 30}};
  SegmentMemo memo;
  const auto with = search_partitioned(graph, plain_time, kPlainCost, options, memo);
  EXPECT_LT(with.searched, with.segments);
  options.use_memo = false;
  SegmentMemo unused;
  const auto without = search_partitioned(graph, plain_time, kPlainCost, options, unused);
  EXPECT_EQ(without.searched, without.segments);
  EXPECT_TRUE(unused.empty());
  ASSERT_EQ(with.candidates.size(), without.candidates.size());
  for (std::size_t i = 0; i < with.candidates.size(); ++i)
    EXPECT_EQ(with.candidates[i].cost, without.candidates[i].cost);
  expect_replayable(graph, with);
  options.use_memo = true;
  EXPECT_EQ(search_partitioned(graph, plain_time, kPlainCost, options, memo).searched, 0U);
}

TEST(SearchPartitioned, OfNothingIsNothing) {
  SegmentMemo memo;
  EXPECT_TRUE(search_partitioned(Graph(), plain_time, kPlainCost, {}, memo).candidates.empty());
}

}  // namespace
}  // namespace braid
