#include "optimise/segment_search.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "graph/hash.h"

namespace braid {
namespace {

/// What decides whether two anchors are equal sites.
Hash128 site_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  Hasher hasher;
  hasher.add(std::string_view(node.op));
  add_to_hash(hasher, node.attributes);
  const auto add_type = [&](ValueId value) {
    hasher.add(value.valid());
    if (!value.valid()) return;
    hasher.add(graph.value(value).type.element);
    for (const std::int64_t d : graph.value(value).type.dims) hasher.add(d);
  };
  for (const ValueId input : node.inputs) add_type(input);
  for (const ValueId output : node.outputs) add_type(output);
  return hasher.finish();
}

/// The rounds of several moves to try: for each rule and its parameters all matches together, and
/// all at equal sites.
std::vector<PositionalRound> equal_moves(const Graph& graph,
                                         const std::vector<PositionalMove>& moves) {
  using Kind = std::pair<const SearchedRule*, std::vector<std::int64_t>>;
  std::map<Kind, PositionalRound> kinds;
  std::map<std::pair<Kind, Hash128>, PositionalRound> sites;
  for (const PositionalMove& move : moves) {
    const Kind kind = {move.rule, move.match.parameters};
    kinds[kind].push_back(move);
    sites[{kind, site_of(graph, move.match.anchor)}].push_back(move);
  }
  std::vector<PositionalRound> rounds;
  for (auto& [site, round] : sites)
    if (round.size() > 1 && round.size() < kinds[site.first].size())
      rounds.push_back(std::move(round));
  for (auto& [kind, round] : kinds)
    if (round.size() > 1) rounds.push_back(std::move(round));
  return rounds;
}

class SegmentSearcher {
 public:
  SegmentSearcher(const Graph& segment, const CostOfRewriting& cost,
                  const SegmentSearchOptions& options)
      : segment_(segment), cost_(cost), options_(options), limits_(rewrite_limits(segment)) {}

  SegmentSearchResult run() {
    result_.cost_before = cost_(segment_);
    const Hash128 key = hash(segment_, HashWeights::TypesOnly);
    costs_.emplace(key, result_.cost_before);
    best_ = {result_.cost_before, 0, kNoParent, {}};
    open_.insert(best_);
    while (!open_.empty() && !is_hopeless(open_.begin()->cost) && !stopped()) {
      look_at(open_.extract(open_.begin()).value());
      ++result_.pops;
    }
    result_.cost = best_.cost;
    result_.rounds = rounds_of(best_);
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kNoParent = static_cast<std::size_t>(-1);

  /// A graph that was found: how to build it again, and what it costs.
  struct Found {
    double cost = 0;
    std::size_t order = 0;  // in which it was found
    std::size_t parent = kNoParent;
    PositionalRound round = {};  // that makes it of its parent

    bool operator<(const Found& other) const {
      return std::tie(cost, order) < std::tie(other.cost, other.order);
    }
  };
  /// A graph that was looked at.
  struct State {
    Graph graph;
    std::size_t parent;
    PositionalRound round;
  };

  bool stopped() {
    const SegmentSearchLimits& limits = options_.limits;
    if (result_.pops >= limits.pops)
      result_.stop = SegmentStop::Pops;
    else if (result_.candidates >= limits.candidates)
      result_.stop = SegmentStop::Candidates;
    else if (limits.deadline && std::chrono::steady_clock::now() >= *limits.deadline)
      result_.stop = SegmentStop::Time;
    return result_.stop != SegmentStop::Exhausted;
  }

  bool is_hopeless(double cost) const {
    return cost > best_.cost && cost >= options_.gamma * best_.cost;
  }

  void look_at(Found found) {
    const std::size_t state = states_.size();
    states_.push_back({built(found), found.parent, std::move(found.round)});
    const Graph& graph = states_[state].graph;
    const std::vector<PositionalMove> moves = all_moves(graph, options_.rules);
    for (const PositionalRound& round : equal_moves(graph, moves)) attempt(state, round);
    std::vector<std::pair<double, std::size_t>> gains;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const auto cost = attempt(state, {moves[i]});
      if (cost && *cost < found.cost) gains.emplace_back(*cost, i);
    }
    if (gains.size() < 2) return;
    std::ranges::sort(gains);
    PositionalRound all;
    for (const auto& [cost, i] : gains) all.push_back(moves[i]);
    attempt(state, all);
  }

  Graph built(const Found& found) const {
    if (found.parent == kNoParent) return segment_;
    RewrittenGraph graph(states_[found.parent].graph, limits_, options_.untidied);
    for (const PositionalMove& move : found.round) graph.apply(*move.rule, move.match);
    graph.end_round();
    return std::move(graph).take();
  }

  /// Builds the graph in which those moves of a round were made that still fit when their turn
  /// came, and adds it if it is new. Returns what it costs; nothing if there is no such graph, or
  /// no time to build it.
  std::optional<double> attempt(std::size_t state, const PositionalRound& round) {
    if (stopped()) return std::nullopt;
    ++result_.candidates;
    RewrittenGraph graph(states_[state].graph, limits_, options_.untidied);
    PositionalRound made;
    for (const PositionalMove& move : round)
      if ((made.empty() || fits(move, graph.graph())) && graph.apply(*move.rule, move.match))
        made.push_back(move);
    if (made.empty()) return std::nullopt;
    const Hash128 untidied = hash(graph.graph(), HashWeights::TypesOnly);
    if (const auto known = costs_.find(untidied); known != costs_.end()) return known->second;
    graph.end_round();
    const Hash128 key = hash(graph.graph(), HashWeights::TypesOnly);
    const auto known = costs_.find(key);
    const double cost = known != costs_.end() ? known->second : cost_(graph.graph());
    costs_.emplace(untidied, cost);
    if (known != costs_.end()) return cost;
    costs_.emplace(key, cost);
    add({cost, ++result_.costed, state, std::move(made)});
    return cost;
  }

  void add(Found found) {
    if (is_hopeless(found.cost)) return;
    if (found < best_) best_ = found;
    open_.insert(std::move(found));
  }

  std::vector<PositionalRound> rounds_of(const Found& found) const {
    std::vector<PositionalRound> rounds;
    if (found.parent == kNoParent) return rounds;
    rounds.push_back(found.round);
    for (std::size_t at = found.parent; states_[at].parent != kNoParent; at = states_[at].parent)
      rounds.push_back(states_[at].round);
    std::ranges::reverse(rounds);
    return rounds;
  }

  const Graph& segment_;
  const CostOfRewriting& cost_;
  const SegmentSearchOptions& options_;
  RewriteLimits limits_;
  std::deque<State> states_;  // stay where they are while more come
  std::set<Found> open_;
  Found best_;
  std::unordered_map<Hash128, double> costs_;  // of all graphs that were built, tidied or not
  SegmentSearchResult result_;
};

}  // namespace

std::string_view name(SegmentStop stop) {
  switch (stop) {
    case SegmentStop::Exhausted:
      return "nothing left to try";
    case SegmentStop::Pops:
      return "enough graphs were looked at";
    case SegmentStop::Candidates:
      return "enough graphs were built";
    case SegmentStop::Time:
      return "the time is over";
  }
  return {};
}

SegmentSearchResult search_segment(const Graph& segment, const CostOfRewriting& cost,
                                   const SegmentSearchOptions& options) {
  return SegmentSearcher(segment, cost, options).run();
}

}  // namespace braid
