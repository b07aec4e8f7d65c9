#include "report/plan_edges.h"

#include <algorithm>
#include <tuple>

#include "graph/order.h"

namespace braid {

std::vector<PlanEdge> plan_edges(const Graph& lowered, const Plan& plan) {
  std::vector<PlanEdge> all;
  for (NodeId id : lowered.node_ids())
    for (ValueId input : lowered.node(id).inputs)
      if (input.valid() && lowered.value(input).producer.valid())
        all.push_back({lowered.value(input).producer, id, true, false});
  for (const auto& stream : plan.streams)
    for (const Step& step : stream)
      for (StepRef wait : step.waits)
        if (const NodeId other = step_at(plan, wait).node; other != step.node)
          all.push_back({other, step.node, false, true});
  const auto ends = [](const PlanEdge& edge) { return std::tie(edge.from, edge.to); };
  std::sort(all.begin(), all.end(),
            [&](const PlanEdge& a, const PlanEdge& b) { return ends(a) < ends(b); });
  std::vector<PlanEdge> edges;
  for (const PlanEdge& edge : all) {
    if (edges.empty() || ends(edges.back()) != ends(edge)) edges.push_back({edge.from, edge.to});
    edges.back().carries |= edge.carries;
    edges.back().waits |= edge.waits;
  }
  return edges;
}

std::vector<std::int32_t> node_streams(const Graph& lowered, const Plan& plan) {
  std::vector<std::int32_t> streams(lowered.node_limit(), -1);
  for (std::size_t stream = 0; stream < plan.streams.size(); ++stream)
    for (const Step& step : plan.streams[stream])
      if (step.part == 0) streams[step.node.at()] = static_cast<std::int32_t>(stream);
  return streams;
}

std::vector<std::vector<std::size_t>> streams_by_node(const Graph& lowered, const Plan& plan) {
  std::vector<std::vector<std::size_t>> streams(lowered.node_limit());
  for (std::size_t stream = 0; stream < plan.streams.size(); ++stream)
    for (const Step& step : plan.streams[stream]) {
      std::vector<std::size_t>& of_node = streams[step.node.at()];
      if (of_node.empty() || of_node.back() != stream) of_node.push_back(stream);
    }
  return streams;
}

std::vector<std::int32_t> node_levels(const Graph& lowered) {
  std::vector<std::int32_t> levels(lowered.node_limit(), 0);
  for (NodeId id : topological_order(lowered))
    for (ValueId input : lowered.node(id).inputs) {
      if (!input.valid() || !lowered.value(input).producer.valid()) continue;
      const std::int32_t before = levels[lowered.value(input).producer.at()];
      levels[id.at()] = std::max(levels[id.at()], before + 1);
    }
  return levels;
}

}  // namespace braid
