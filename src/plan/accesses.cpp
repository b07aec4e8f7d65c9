#include "plan/accesses.h"

#include <ranges>

#include "graph/order.h"

namespace braid {

Accesses::Accesses(const Graph& graph, const Plan& plan)
    : steps_(steps_by_node(graph, plan)),
      writers_(graph.value_limit()),
      users_(graph.value_limit()) {
  for (NodeId id : topological_order(graph)) {
    if (!is_view(graph.node(id))) {
      add_steps(graph, id);
      continue;
    }
    for (ViewLink& link : view_links(graph, id)) {
      extend(writers_[link.output().at()], writers_[link.input().at()]);
      links_.push_back(std::move(link));
    }
  }
  for (const ViewLink& link : std::views::reverse(links_))
    extend(users_[link.input().at()], users_[link.output().at()]);
}

void Accesses::add_steps(const Graph& graph, NodeId id) {
  for (StepRef step : steps_[id.at()]) {
    for (ValueId output : graph.node(id).outputs) {
      if (!output.valid()) continue;
      extend(writers_[output.at()], step);
      extend(users_[output.at()], step);
    }
    for (ValueId input : graph.node(id).inputs)
      if (input.valid()) extend(users_[input.at()], step);
  }
}

}  // namespace braid
