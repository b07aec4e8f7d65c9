#include "rewrite/node_places.h"

#include <algorithm>
#include <numeric>

namespace braid {

NodePlaces::NodePlaces(const Graph& graph)
    : graph_(graph), level_(graph.node_limit(), 0), position_(graph.node_limit(), 0) {
  const std::vector<NodeId> order = graph.nodes_in_order();
  int place = 0;
  for (NodeId id : order) {
    position_[id.at()] = place++;
    level_[id.at()] = level_from_inputs(graph.node(id));
  }
  gather_levels(order);
}

void NodePlaces::gather_levels(const std::vector<NodeId>& order) {
  int deepest = 0;
  for (NodeId id : order) deepest = std::max(deepest, level(id));
  // First the count of each level one place on, then where the level begins, at last where it ends.
  level_ends_.assign(static_cast<std::size_t>(deepest) + 2, 0);
  for (NodeId id : order) ++level_ends_[static_cast<std::size_t>(level(id)) + 1];
  std::partial_sum(level_ends_.begin(), level_ends_.end(), level_ends_.begin());
  by_level_.resize(order.size());
  for (NodeId id : order) by_level_[level_ends_[static_cast<std::size_t>(level(id))]++] = id;
}

std::span<const NodeId> NodePlaces::at_level(int level) const {
  const auto place = static_cast<std::size_t>(level);
  if (level <= 0 || place + 1 >= level_ends_.size()) return {};
  const std::size_t begin = level_ends_[place - 1];
  return std::span(by_level_).subspan(begin, level_ends_[place] - begin);
}

int NodePlaces::level_from_inputs(const Node& node) const {
  int deepest = 0;
  for (ValueId input : node.inputs)
    if (input.valid()) deepest = std::max(deepest, level(input));
  return deepest + 1;
}

int NodePlaces::level(ValueId value) const {
  const NodeId producer = graph_.value(value).producer;
  return producer.valid() ? level_[producer.at()] : 0;
}

void NodePlaces::follow_edit(NodeId anchor) {
  for (std::size_t i = level_.size(); i < graph_.node_limit(); ++i) {
    const NodeId made(static_cast<std::int32_t>(i));
    level_.push_back(graph_.alive(made) ? level_from_inputs(graph_.node(made)) : 0);
    position_.push_back(position_[anchor.at()]);
  }
}

}  // namespace braid
