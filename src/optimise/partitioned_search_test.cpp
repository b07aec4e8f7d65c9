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
  return {.partition = {.size_lower = 5}, .segment = {.limits = {.pops = 8, .candidates = 80}}};
}

TEST(SearchPartitioned, GivesACheaperGraphThatCanBeMadeAgain) {
  for (const Graph& graph : {two_cells(), concat_block(), grouped_block()}) {
    const auto result = search_partitioned(graph, plain_time, kPlainCost, small_options());
    EXPECT_EQ(result.cost_before, kPlainCost(graph, {}));
    ASSERT_TRUE(result.found);
    EXPECT_LT(result.found->cost, result.cost_before);
    EXPECT_EQ(result.found->cost, kPlainCost(result.found->graph, {}));
    RewrittenGraph again(graph, rewrite_limits(graph));
    again.replay(result.found->rounds);
    EXPECT_EQ(to_string(hash(again.graph(), HashWeights::TypesOnly)),
              to_string(hash(result.found->graph, HashWeights::TypesOnly)));
    expect_same_outputs(graph, result.found->graph, "found");
  }
}

TEST(SearchPartitioned, FindsInPartsWhatTheWholeSearchFinds) {
  const Graph graph = two_cells();
  const auto search = [&](bool use_partition) {
    PartitionedSearchOptions options = small_options();
    options.use_partition = use_partition;
    options.segment = {.limits = {.pops = 100, .candidates = 2000}, .rules = {"merge-groups"}};
    return search_partitioned(graph, plain_time, kPlainCost, options);
  };
  const auto whole = search(false);
  const auto parts = search(true);
  EXPECT_EQ(whole.parts, 1U);
  EXPECT_GT(parts.parts, 1U);
  ASSERT_TRUE(whole.found && parts.found);
  EXPECT_EQ(parts.found->cost, whole.found->cost);
}

TEST(SearchPartitioned, OfNothingIsNothing) {
  EXPECT_FALSE(search_partitioned(Graph(), plain_time, kPlainCost, {}).found);
}

}  // namespace
}  // namespace braid
