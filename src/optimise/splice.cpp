#include "optimise/splice.h"

#include <algorithm>
#include <unordered_map>

namespace braid {
namespace {

template <class T>
bool same_set(std::vector<T> a, std::vector<T> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

std::vector<NodeId> all_nodes(const Match& match) {
  std::vector<NodeId> nodes = match.nodes;
  nodes.push_back(match.anchor);
  return nodes;
}

/// The match in the graph that is the wanted one, or else takes the same nodes in another order:
/// what comes first may differ between a segment and its graph.
std::optional<Match> found_in(const Graph& graph, const Rule& rule, const Match& wanted) {
  const NodePlaces places(graph);
  const auto matches = matches_at(rule, {graph, wanted.anchor, places});
  if (std::ranges::find(matches, wanted) != matches.end()) return wanted;
  for (const NodeId anchor : all_nodes(wanted))
    for (const Match& match : matches_at(rule, {graph, anchor, places}))
      if (match.parameters == wanted.parameters && same_set(match.values, wanted.values) &&
          same_set(all_nodes(match), all_nodes(wanted)))
        return match;
  return std::nullopt;
}

/// A segment that is rewritten as the graph around it is, and knows where its values are there.
class Follower {
 public:
  Follower(const SegmentRewriting& segment, const Graph& graph, const RewriteLimits& limits,
           const std::vector<std::string>& untidied)
      : own_(*segment.segment, limits, untidied), rounds_(*segment.rounds) {
    there_.resize(own().value_limit());
    for (const ValueId id : own().value_ids()) there_[id.at()] = graph.find(own().value(id).name);
  }

  std::size_t round_count() const { return rounds_.size(); }
  std::size_t lost() const { return lost_; }

  void make_round(std::size_t round, RewrittenGraph& graph) {
    if (round >= rounds_.size()) return;
    for (const PositionalMove& move : rounds_[round])
      if (lost_ > 0 || !make_move(move, graph)) ++lost_;
  }

  /// Names last: what tidying makes takes the name of what it replaces.
  void before_tidying(const Graph& graph) {
    names_.clear();
    for (const ValueId id : own().value_ids())
      if (graph.alive(there_[id.at()]))
        names_[own().value(id).name] = graph.value(there_[id.at()]).name;
  }
  void tidy_too(const Graph& graph) {
    own_.end_round();
    there_.resize(own().value_limit());
    for (const ValueId id : own().value_ids()) there_[id.at()] = value_in(graph, id);
  }

 private:
  const Graph& own() const { return own_.graph(); }

  bool make_move(const PositionalMove& move, RewrittenGraph& graph) {
    const auto wanted = match_in(graph.graph(), move.match);
    const auto match =
        wanted ? found_in(graph.graph(), move.rule->rule, *wanted) : std::optional<Match>();
    const std::size_t first = graph.graph().value_limit();
    if (!match || !graph.apply(*move.rule, *match)) return false;
    const std::size_t own_first = own().value_limit();
    own_.apply(*move.rule, move.match);
    // Both edits make the same values in the same order.
    for (std::size_t i = own_first; i < own().value_limit(); ++i)
      there_.emplace_back(static_cast<std::int64_t>(first + i - own_first));
    return true;
  }

  std::optional<Match> match_in(const Graph& graph, const Match& match) const {
    Match wanted{.anchor = node_in(graph, match.anchor), .parameters = match.parameters};
    for (const NodeId id : match.nodes) wanted.nodes.push_back(node_in(graph, id));
    for (const ValueId id : match.values) wanted.values.push_back(value_in(graph, id));
    const auto is_there = [](auto id) { return id.valid(); };
    const bool all = wanted.anchor.valid() && std::ranges::all_of(wanted.nodes, is_there) &&
                     std::ranges::all_of(wanted.values, is_there);
    return all ? std::optional(std::move(wanted)) : std::nullopt;
  }

  ValueId first_output(NodeId id) const {
    const auto& outputs = own().node(id).outputs;
    return *std::ranges::find_if(outputs, [](ValueId output) { return output.valid(); });
  }

  NodeId node_in(const Graph& graph, NodeId id) const {
    const ValueId there = value_in(graph, first_output(id));
    return there.valid() ? graph.value(there).producer : NodeId();
  }

  /// Where the segment's value is in the graph: where it was last, or under its name, or what its
  /// first reader reads there; invalid if it is gone.
  ValueId value_in(const Graph& graph, ValueId id) const {
    if (graph.alive(there_[id.at()])) return there_[id.at()];
    const std::string& name = own().value(id).name;
    const auto renamed = names_.find(name);
    const ValueId by_name = graph.find(renamed == names_.end() ? name : renamed->second);
    if (by_name.valid()) return by_name;
    for (const NodeId reader : own().value(id).consumers) {
      const ValueId made = there_[first_output(reader).at()];
      if (!graph.alive(made) || !graph.value(made).producer.valid()) continue;
      const auto& own_inputs = own().node(reader).inputs;
      const auto& inputs = graph.node(graph.value(made).producer).inputs;
      const auto at = std::ranges::find(own_inputs, id) - own_inputs.begin();
      if (own_inputs.size() == inputs.size()) return inputs[static_cast<std::size_t>(at)];
    }
    return {};
  }

  RewrittenGraph own_;
  const std::vector<PositionalRound>& rounds_;
  std::vector<ValueId> there_;                          // by own values
  std::unordered_map<std::string, std::string> names_;  // of own values: theirs in the graph
  std::size_t lost_ = 0;
};

}  // namespace

Spliced splice(const Graph& graph, std::span<const SegmentRewriting> segments,
               const RewriteLimits& limits, const std::vector<std::string>& untidied) {
  Spliced spliced{RewrittenGraph(graph, limits, untidied)};
  std::vector<Follower> followers;
  std::size_t rounds = 0;
  for (const SegmentRewriting& segment : segments) {
    followers.emplace_back(segment, graph, limits, untidied);
    rounds = std::max(rounds, followers.back().round_count());
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Follower& follower : followers) follower.make_round(round, spliced.graph);
    for (Follower& follower : followers) follower.before_tidying(spliced.graph.graph());
    spliced.graph.end_round();
    for (Follower& follower : followers) follower.tidy_too(spliced.graph.graph());
  }
  for (const Follower& follower : followers) spliced.lost += follower.lost();
  return spliced;
}

}  // namespace braid
