#include "rewrite/node_places.h"

#include <algorithm>

namespace braid {

NodePlaces::NodePlaces(const Graph& graph)
    : graph_(graph), level_(graph.node_limit(), 0), position_(graph.node_limit(), 0) {
  int place = 0;
  for (NodeId id : graph.nodes_in_order()) {
    position_[id.at()] = place++;
    level_[id.at()] = level_from_inputs(graph.node(id));
  }
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
