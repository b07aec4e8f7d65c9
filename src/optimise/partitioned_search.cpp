#include "optimise/partitioned_search.h"

#include <algorithm>
#include <unordered_set>

#include "graph/hash.h"
#include "optimise/dp.h"
#include "optimise/operator_mark.h"
#include "optimise/splice.h"

namespace braid {
namespace {

class PartitionedSearcher {
 public:
  PartitionedSearcher(const Graph& graph, const NodeTime& time_of, const SegmentCost& cost,
                      const PartitionedSearchOptions& options, SegmentMemo& memo)
      : graph_(graph),
        cost_(cost),
        options_(options),
        memo_(memo),
        places_(graph),
        costs_(graph, time_of) {}

  PartitionedSearchResult run() {
    result_.cost_before = cost_(graph_, {});
    const std::vector<Bond> bonds = match_bonds(graph_, options_.segment.rules, options_.weight_of);
    const std::vector<Part> parts = make_parts(bonds);
    std::vector<PartRange> ranges =
        part_ranges(graph_, parts, options_.use_dp ? options_.size_upper : 0);
    if (options_.bonded_only) ranges = bonded_ranges(graph_, std::move(ranges), parts, bonds);
    result_.parts = parts.size();
    result_.segments = ranges.size();
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      report(options_.progress, "segments", std::ssize(segments_), std::ssize(ranges));
      add_segment(parts, ranges[i], ranges.size() - i);
    }
    for (const Assembly& assembly : best_assemblies(parts.size(), rows_, options_.beam))
      assemble(assembly);
    if (result_.candidates.size() > options_.keep) result_.candidates.resize(options_.keep);
    return std::move(result_);
  }

 private:
  struct SolvedSegment {
    Graph graph;
    std::vector<SegmentSolution> solutions;
  };

  std::vector<Part> make_parts(const std::vector<Bond>& bonds) const {
    if (graph_.node_count() == 0) return {};
    if (!options_.use_partition) return {graph_.nodes_in_order()};
    return partition(graph_, bonds, options_.partition);
  }

  void add_segment(const std::vector<Part>& parts, const PartRange& range, std::size_t left) {
    std::vector<NodeId> nodes;
    for (std::size_t i = range.first; i <= range.last; ++i)
      nodes.insert(nodes.end(), parts[i].begin(), parts[i].end());
    Segment segment = cut_out(graph_, places_, nodes);
    const Surroundings around = surroundings_of(segment, graph_, costs_);
    const Hash128 key = segment_key(segment.graph, around, options_.grain_us);

    SegmentOptions row{range.first, range.last, {}};
    SolvedSegment solved{std::move(segment.graph), {}};
    const auto known = options_.use_memo ? memo_.find(key) : memo_.end();
    if (known == memo_.end() || !take(known->second, solved, row)) {
      SegmentSearchResult found = search(solved.graph, around, left);
      take(found, solved, row);
      if (options_.use_memo && found.stop != SegmentStop::Time) memo_[key] = std::move(found);
    }
    segments_.push_back(std::move(solved));
    rows_.push_back(std::move(row));
  }

  SegmentSearchResult search(const Graph& segment, const Surroundings& around, std::size_t left) {
    SegmentSearchOptions options = options_.segment;
    if (auto& deadline = options.limits.deadline) {
      const auto now = std::chrono::steady_clock::now();
      *deadline = now + (*deadline - now) / static_cast<std::int64_t>(left);
    }
    SegmentSearchResult found =
        search_segment(segment, [&](const Graph& one) { return cost_(one, around); }, options);
    ++result_.searched;
    result_.built += found.candidates;
    return found;
  }

  /// Takes solutions that were found for an equal segment; false, taking none, if one of them
  /// cannot be made here: rules also look at numbers that a key does not hold.
  bool take(const SegmentSearchResult& found, SolvedSegment& solved, SegmentOptions& row) const {
    std::vector<SegmentOption> taken;
    for (const SegmentSolution& solution : found.solutions) {
      const auto made = replayed(solved.graph, solution.rounds, rewrite_limits(solved.graph),
                                 options_.segment.untidied);
      if (!made || hash(made->graph(), HashWeights::TypesOnly) != solution.hash) return false;
      taken.push_back({solution.cost - found.cost_before, operator_mark(made->graph())});
    }
    solved.solutions = found.solutions;
    row.options = std::move(taken);
    return true;
  }

  void assemble(const Assembly& assembly) {
    std::vector<SegmentRewriting> rewritings;
    for (const SegmentChoice& choice : assembly.choices) {
      const SolvedSegment& segment = segments_[choice.segment];
      const auto& rounds = segment.solutions[choice.option].rounds;
      if (!rounds.empty()) rewritings.push_back({&segment.graph, &rounds});
    }
    if (rewritings.empty()) return;
    Spliced spliced = splice(graph_, rewritings, rewrite_limits(graph_), options_.segment.untidied);
    result_.lost += spliced.lost;
    const Graph& made = spliced.graph.graph();
    if (spliced.graph.rounds().empty()) return;
    if (!made_.insert(hash(made, HashWeights::TypesOnly)).second) return;
    const double cost = cost_(made, {});
    std::vector<Round> rounds = spliced.graph.rounds();
    result_.candidates.insert(
        std::ranges::upper_bound(result_.candidates, cost, {}, &GraphCandidate::cost),
        {cost, std::move(rounds), std::move(spliced.graph).take()});
  }

  const Graph& graph_;
  const SegmentCost& cost_;
  const PartitionedSearchOptions& options_;
  SegmentMemo& memo_;
  NodePlaces places_;
  RunningCosts costs_;
  std::vector<SolvedSegment> segments_;
  std::vector<SegmentOptions> rows_;  // the same to choose from
  std::unordered_set<Hash128> made_;
  PartitionedSearchResult result_;
};

}  // namespace

PartitionedSearchResult search_partitioned(const Graph& graph, const NodeTime& time_of,
                                           const SegmentCost& cost,
                                           const PartitionedSearchOptions& options,
                                           SegmentMemo& memo) {
  return PartitionedSearcher(graph, time_of, cost, options, memo).run();
}

}  // namespace braid
