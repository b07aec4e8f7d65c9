#include "rewrite/node_places.h"

#include <algorithm>

namespace braid {

NodePlaces::NodePlaces(const Graph& graph)
    : graph_(graph), level_(graph.node_limit(), 0), position_(graph.node_limit(), 0) {
  int place = 0;
  const std::vector<NodeId> order = graph.nodes_in_order();
  for (NodeId id : order) {
    position_[id.at()] = place++;
    level_[id.at()] = level_from_inputs(graph.node(id));
  }
  sort_by_level(order);
}

void NodePlaces::sort_by_level(const std::vector<NodeId>& order) {
  const auto at = [&](NodeId id) { return static_cast<std::size_t>(level_[id.at()]); };
  std::size_t levels = 1;
  for (NodeId id : order) levels = std::max(levels, at(id) + 1);
  level_end_.assign(levels, 0);
  for (NodeId id : order) ++level_end_[at(id)];
  std::vector<std::size_t> next(levels, 0);
  for (std::size_t i = 1; i < levels; ++i) {
    next[i] = level_end_[i - 1];
    level_end_[i] += level_end_[i - 1];
  }
  by_level_.resize(order.size());
  for (NodeId id : order) by_level_[next[at(id)]++] = id;
}

std::span<const NodeId> NodePlaces::at_level(int level) const {
  if (level < 1 || static_cast<std::size_t>(level) >= level_end_.size()) return {};
  const std::size_t begin = level_end_[static_cast<std::size_t>(level) - 1];
  return std::span(by_level_).subspan(begin, level_end_[static_cast<std::size_t>(level)] - begin);
}

int NodePlaces::level_from_inputs(const Node& node) const {
  int deepest = 0;
  for (ValueId input : node.inputs)
    if (input.valid()) deepest = std::max(deepest, level(input));
  return deepest + 1;
}

int NodePlaces::level(ValueId value) const {
  const NodeId producer = graph_.value(value).producer;
  return producer.valid() ? level_[producer.at()] : graph_.value(value).level;
}

void NodePlaces::follow_edit(NodeId anchor) {
  for (std::size_t i = level_.size(); i < graph_.node_limit(); ++i) {
    const NodeId made(static_cast<std::int32_t>(i));
    level_.push_back(graph_.alive(made) ? level_from_inputs(graph_.node(made)) : 0);
    position_.push_back(position_[anchor.at()]);
  }
}

}  // namespace braid
