#include "optimise/moves.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "rewrite/canonicalise.h"

namespace braid {
namespace {

/// Of one move: what its constants may take to be made.
constexpr double kMostWork = 4e9;

std::string name_of(const Graph& graph, NodeId id) {
  for (const ValueId output : graph.node(id).outputs)
    if (output.valid()) return graph.value(output).name;
  return {};
}

void add(Hasher& hasher, const Graph& graph, ValueId id) {
  hasher.add(id.valid());
  if (!id.valid()) return;
  const TensorType& type = graph.value(id).type;
  hasher.add(type.element);
  hasher.add(type.dims.size());
  for (const std::int64_t dim : type.dims) hasher.add(dim);
}

void add(Hasher& hasher, const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  hasher.add(std::string_view(node.op));
  add_to_hash(hasher, node.attributes);
  for (const ValueId input : node.inputs) add(hasher, graph, input);
  for (const ValueId output : node.outputs) add(hasher, graph, output);
}

NodeId producer_of(const Graph& graph, const std::string& name) {
  const ValueId value = graph.find(name);
  return value.valid() ? graph.value(value).producer : NodeId{};
}

std::string text_of(const Move& move) {
  return fmt::format("rule {} at {}", quote(move.rule), quote(move.anchor));
}

}  // namespace

Move move_of(const Rule& rule, const Graph& graph, const Match& match) {
  Move move{std::string(rule.name), name_of(graph, match.anchor)};
  for (const NodeId node : match.nodes) move.nodes.push_back(name_of(graph, node));
  for (const ValueId value : match.values) move.values.push_back(graph.value(value).name);
  move.parameters = match.parameters;
  return move;
}

Hash128 kind_of(const Graph& graph, const Match& match) {
  Hasher hasher;
  add(hasher, graph, match.anchor);
  for (const NodeId node : match.nodes) add(hasher, graph, node);
  for (const ValueId value : match.values) add(hasher, graph, value);
  return hasher.finish();
}

RewriteLimits rewrite_limits(const Graph& original) {
  constexpr std::int64_t more_bytes = std::int64_t{256} << 20;
  constexpr std::size_t more_nodes = 1000;
  const std::int64_t bytes = constant_bytes(original);
  return {.constant_bytes = std::max(8 * bytes, bytes + more_bytes),
          .nodes = std::max(4 * original.node_count(), original.node_count() + more_nodes)};
}

std::int64_t constant_bytes(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const ValueId id : graph.value_ids())
    if (graph.is_constant(id)) bytes += byte_size(graph.value(id).type);
  return bytes;
}

RewrittenGraph::RewrittenGraph(Graph graph, const RewriteLimits& limits,
                               std::vector<std::string> untidied)
    : graph_(std::move(graph)), limits_(limits), untidied_(std::move(untidied)) {}

bool RewrittenGraph::apply(const SearchedRule& rule, const Match& match) {
  if (moves_ >= limits_.moves || (!open_ && rounds_.size() >= limits_.rounds)) return false;
  Allowance allowance{.bytes = limits_.constant_bytes - constant_bytes(graph_), .work = kMostWork};
  const auto edit = braid::apply(rule.rule, graph_, match, allowance);
  if (!edit || graph_.node_count() > limits_.nodes) return false;
  Move move = move_of(rule.rule, graph_, match);
  const Hash128 kind = kind_of(graph_, match);
  graph_.apply(*edit);
  if (!open_) {
    rounds_.emplace_back();
    kinds_.emplace_back();
  }
  open_ = true;
  rounds_.back().push_back(std::move(move));
  kinds_.back().push_back(kind);
  ++moves_;
  return true;
}

void RewrittenGraph::end_round() {
  if (!open_) return;
  graph_ = tidy(std::move(graph_), untidied_);
  open_ = false;
}

void RewrittenGraph::replay(const std::vector<Round>& rounds) {
  for (const Round& round : rounds) {
    for (const Move& move : round) {
      const NodePlaces places(graph_);
      const auto match = find_match(graph_, places, move);
      if (!match)
        raise(ErrorKind::Model,
              fmt::format("{} matches nothing in this graph: the moves were made for another "
                          "model, or by another version of the rules",
                          text_of(move)));
      if (!apply(searched_rule(move.rule), *match))
        raise(ErrorKind::Quota,
              fmt::format("{} goes beyond what rewriting may add to this model: "
                          "{} bytes of constants, {} nodes, {} rounds",
                          text_of(move), limits_.constant_bytes, limits_.nodes, limits_.rounds));
    }
    end_round();
  }
}

bool RewrittenGraph::try_again(const Move& move) {
  const NodePlaces places(graph_);
  const auto match = find_match(graph_, places, move);
  return match && apply(searched_rule(move.rule), *match);
}

std::optional<Match> find_match(const Graph& graph, const NodePlaces& places, const Move& move) {
  const auto& rules = searched_rules();
  const auto found = std::ranges::find_if(
      rules, [&](const SearchedRule& row) { return row.rule.name == move.rule; });
  const NodeId anchor = producer_of(graph, move.anchor);
  if (found == rules.end() || !anchor.valid()) return std::nullopt;
  for (const Match& match : matches_at(found->rule, {graph, anchor, places}))
    if (move_of(found->rule, graph, match) == move) return match;
  return std::nullopt;
}

std::vector<RuleCount> rule_counts(const std::vector<Round>& rounds) {
  std::vector<RuleCount> counts;
  for (const SearchedRule& row : searched_rules()) {
    RuleCount count{std::string(row.rule.name)};
    for (const Round& round : rounds)
      count.count += std::ranges::count(round, row.rule.name, &Move::rule);
    if (count.count > 0) counts.push_back(std::move(count));
  }
  return counts;
}

}  // namespace braid
