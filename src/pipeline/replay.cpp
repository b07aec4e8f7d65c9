#include "pipeline/replay.h"

#include <algorithm>

#include "pipeline/stages.h"
#include "rewrite/settle.h"

namespace braid {
namespace {

RewrittenGraph start_of(const Graph& canonical, const Device& device) {
  return {canonical, rewrite_limits(canonical), steps_without(device)};
}

/// What the stage *optimised* makes of a rewritten graph.
Graph result_of(const RewrittenGraph& rewritten, const Device& device) {
  if (rewritten.rounds().empty()) return rewritten.graph();
  return settled(rewritten.graph(), steps_without(device));
}

std::string output_name(const Graph& graph, NodeId id) {
  for (const ValueId output : graph.node(id).outputs)
    if (output.valid()) return graph.value(output).name;
  return {};
}

std::vector<std::string> input_names(const Graph& graph, NodeId id) {
  std::vector<std::string> names;
  for (const ValueId input : graph.node(id).inputs)
    names.push_back(input.valid() ? graph.value(input).name : std::string());
  return names;
}

/// Whether a graph had this node before it was rewritten.
bool stood_in(const Graph& before, const Graph& graph, NodeId id) {
  const ValueId value = before.find(output_name(graph, id));
  const NodeId there = value.valid() ? before.value(value).producer : NodeId{};
  if (!there.valid()) return false;
  const Node& a = before.node(there);
  const Node& b = graph.node(id);
  return a.op == b.op && a.attributes == b.attributes &&
         input_names(before, there) == input_names(graph, id);
}

/// The rules of new nodes, by what outlives tidying: the name of the first output, or of the node.
class RulesByName {
 public:
  void add(const Graph& graph, std::size_t first_new, const std::string& rule) {
    for (std::size_t i = first_new; i < graph.node_limit(); ++i) {
      const NodeId id(static_cast<std::int64_t>(i));
      if (!graph.alive(id)) continue;
      outputs_[output_name(graph, id)] = rule;
      if (!graph.node(id).name.empty()) nodes_[graph.node(id).name] = rule;
    }
  }

  /// Empty if no rule made it.
  std::string find(const Graph& graph, NodeId id) const {
    if (const auto at = outputs_.find(output_name(graph, id)); at != outputs_.end())
      return at->second;
    const auto at = nodes_.find(graph.node(id).name);
    return at == nodes_.end() ? std::string() : at->second;
  }

 private:
  std::map<std::string, std::string> outputs_;
  std::map<std::string, std::string> nodes_;
};

}  // namespace

Graph replayed(const Graph& canonical, const std::vector<Round>& rounds, const Device& device) {
  RewrittenGraph rewritten = start_of(canonical, device);
  rewritten.replay(rounds);
  return result_of(rewritten, device);
}

std::map<NodeId, std::string> rules_of_nodes(const Graph& canonical,
                                             const std::vector<Round>& rounds,
                                             const Device& device) {
  RewrittenGraph rewritten = start_of(canonical, device);
  RulesByName made;
  for (const Round& round : rounds) {
    for (const Move& move : round) {
      const Graph& graph = rewritten.graph();
      const auto match = find_match(graph, NodePlaces(graph), move);
      const std::size_t first_new = graph.node_limit();
      if (match && rewritten.apply(searched_rule(move.rule), *match))
        made.add(rewritten.graph(), first_new, move.rule);
    }
    rewritten.end_round();
  }
  std::map<NodeId, std::string> rules;
  const Graph graph = result_of(rewritten, device);
  for (const NodeId id : graph.node_ids())
    if (std::string rule = made.find(graph, id); !rule.empty() && !stood_in(canonical, graph, id))
      rules[id] = std::move(rule);
  return rules;
}

}  // namespace braid
