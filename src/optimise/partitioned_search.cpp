#include "optimise/partitioned_search.h"

#include "optimise/splice.h"

namespace braid {
namespace {

/// A part with the cheapest way to rewrite it.
struct SolvedPart {
  Graph segment;
  std::vector<PositionalRound> rounds;
};

std::vector<Part> parts_of(const Graph& graph, const PartitionedSearchOptions& options) {
  if (graph.node_count() == 0) return {};
  if (!options.use_partition) return {graph.nodes_in_order()};
  return partition(graph, match_bonds(graph, options.segment.rules), options.partition);
}

/// The options of one search of those that are left.
SegmentSearchOptions share_of(SegmentSearchOptions options, std::size_t left) {
  if (auto& deadline = options.limits.deadline) {
    const auto now = std::chrono::steady_clock::now();
    *deadline = now + (*deadline - now) / static_cast<std::int64_t>(left);
  }
  return options;
}

Spliced put_together(const Graph& graph, const std::vector<SolvedPart>& parts,
                     const std::vector<std::string>& untidied) {
  std::vector<SegmentRewriting> rewritings;
  for (const SolvedPart& part : parts)
    if (!part.rounds.empty()) rewritings.push_back({&part.segment, &part.rounds});
  return splice(graph, rewritings, rewrite_limits(graph), untidied);
}

}  // namespace

PartitionedSearchResult search_partitioned(const Graph& graph, const NodeTime& time_of,
                                           const SegmentCost& cost,
                                           const PartitionedSearchOptions& options) {
  PartitionedSearchResult result;
  result.cost_before = cost(graph, {});
  const NodePlaces places(graph);
  const RunningCosts costs(graph, time_of);
  const std::vector<Part> parts = parts_of(graph, options);
  result.parts = parts.size();
  std::vector<SolvedPart> solved;
  for (const Part& part : parts) {
    Segment segment = cut_out(graph, places, part);
    const Surroundings around = surroundings_of(segment, graph, costs);
    SegmentSearchResult found = search_segment(
        segment.graph, [&](const Graph& one) { return cost(one, around); },
        share_of(options.segment, parts.size() - solved.size()));
    result.built += found.candidates;
    solved.push_back({std::move(segment.graph), std::move(found.rounds)});
  }
  Spliced spliced = put_together(graph, solved, options.segment.untidied);
  result.lost = spliced.lost;
  const double cost_after = cost(spliced.graph.graph(), {});
  if (cost_after < result.cost_before) {
    std::vector<Round> rounds = spliced.graph.rounds();
    result.found = {cost_after, std::move(rounds), std::move(spliced.graph).take()};
  }
  return result;
}

}  // namespace braid
