#include "optimise/min_cut.h"

#include <lemon/preflow.h>
#include <lemon/smart_graph.h>

namespace braid {
namespace {

/// The nodes that can be reached from `start`.
std::vector<bool> reached(const std::vector<std::vector<int>>& next, int start) {
  std::vector<bool> seen(next.size(), false);
  std::vector<int> open = {start};
  seen[static_cast<std::size_t>(start)] = true;
  while (!open.empty()) {
    const auto at = static_cast<std::size_t>(open.back());
    open.pop_back();
    for (const int to : next[at])
      if (!seen[static_cast<std::size_t>(to)]) {
        seen[static_cast<std::size_t>(to)] = true;
        open.push_back(to);
      }
  }
  return seen;
}

}  // namespace

// Under a maximum flow, what the source still reaches is the smallest source side, and what still
// reaches the target is the smallest target side.
CutNetwork::Sides CutNetwork::minimum_cut(int source, int target) const {
  lemon::SmartDigraph graph;
  graph.reserveNode(nodes_);
  graph.reserveArc(static_cast<int>(arcs_.size()));
  for (int i = 0; i < nodes_; ++i) graph.addNode();
  lemon::SmartDigraph::ArcMap<std::int64_t> capacities(graph);
  for (const Arc& arc : arcs_)
    capacities[graph.addArc(lemon::SmartDigraph::nodeFromId(arc.from),
                            lemon::SmartDigraph::nodeFromId(arc.to))] = arc.capacity;
  lemon::Preflow<lemon::SmartDigraph, lemon::SmartDigraph::ArcMap<std::int64_t>> flow(
      graph, capacities, lemon::SmartDigraph::nodeFromId(source),
      lemon::SmartDigraph::nodeFromId(target));
  flow.run();

  std::vector<std::vector<int>> forward(static_cast<std::size_t>(nodes_));
  std::vector<std::vector<int>> backward(static_cast<std::size_t>(nodes_));
  const auto add_residual = [&](int from, int to) {
    forward[static_cast<std::size_t>(from)].push_back(to);
    backward[static_cast<std::size_t>(to)].push_back(from);
  };
  for (std::size_t i = 0; i < arcs_.size(); ++i) {
    const std::int64_t sent = flow.flow(lemon::SmartDigraph::arcFromId(static_cast<int>(i)));
    if (sent < arcs_[i].capacity) add_residual(arcs_[i].from, arcs_[i].to);
    if (sent > 0) add_residual(arcs_[i].to, arcs_[i].from);
  }
  Sides sides{flow.flowValue(), reached(forward, source), reached(backward, target)};
  sides.largest.flip();
  return sides;
}

}  // namespace braid
