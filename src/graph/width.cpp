#include "graph/width.h"

#include <algorithm>
#include <limits>
#include <vector>

// Each node is split into an entry and an exit; the arc between them carries at least one unit if
// the node counts. Paths run source → entry → exit → … → sink and may share nodes. A greedy cover
// gives a feasible flow; its excess is then sent back from sink to source through the residual
// network (Dinic), which leaves the minimum.

namespace braid {
namespace {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max() / 4;

class Network {
 public:
  explicit Network(std::size_t vertices) : out_(vertices) {}

  /// An arc with room for `capacity` forward and `back` backward. Returns its index; index ^ 1 is
  /// its reverse.
  std::size_t add(std::size_t from, std::size_t to, std::int64_t capacity, std::int64_t back) {
    out_[from].push_back(arcs_.size());
    arcs_.push_back({to, capacity});
    out_[to].push_back(arcs_.size());
    arcs_.push_back({from, back});
    return arcs_.size() - 2;
  }
  std::int64_t& room(std::size_t arc) { return arcs_[arc].room; }

  std::int64_t maximum_flow(std::size_t from, std::size_t to) {
    std::int64_t total = 0;
    while (layer(from, to)) {
      next_.assign(out_.size(), 0);
      while (const std::int64_t pushed = push(from, to)) total += pushed;
    }
    return total;
  }

 private:
  struct Arc {
    std::size_t to;
    std::int64_t room;
  };

  bool layer(std::size_t from, std::size_t to) {
    level_.assign(out_.size(), -1);
    level_[from] = 0;
    std::vector<std::size_t> queue = {from};
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (std::size_t arc : out_[queue[head]])
        if (arcs_[arc].room > 0 && level_[arcs_[arc].to] < 0) {
          level_[arcs_[arc].to] = level_[queue[head]] + 1;
          queue.push_back(arcs_[arc].to);
        }
    return level_[to] >= 0;
  }

  /// One augmenting path in the layered network, without recursion: graphs are deep.
  std::int64_t push(std::size_t from, std::size_t to) {
    std::vector<std::size_t> path;
    std::size_t at = from;
    while (at != to) {
      if (next_[at] < out_[at].size()) {
        const std::size_t arc = out_[at][next_[at]];
        if (arcs_[arc].room > 0 && level_[arcs_[arc].to] == level_[at] + 1) {
          path.push_back(arc);
          at = arcs_[arc].to;
        } else {
          ++next_[at];
        }
      } else {
        if (path.empty()) return 0;
        at = arcs_[path.back() ^ 1].to;
        path.pop_back();
        ++next_[at];
      }
    }
    std::int64_t amount = kUnbounded;
    for (std::size_t arc : path) amount = std::min(amount, arcs_[arc].room);
    for (std::size_t arc : path) {
      arcs_[arc].room -= amount;
      arcs_[arc ^ 1].room += amount;
    }
    return amount;
  }

  std::vector<Arc> arcs_;
  std::vector<std::vector<std::size_t>> out_;
  std::vector<std::int64_t> level_;
  std::vector<std::size_t> next_;
};

/// Distinct consumers of a node's outputs, in ascending order of position.
std::vector<std::vector<std::size_t>> successors(const Graph& graph,
                                                 const std::vector<NodeId>& order) {
  std::vector<std::size_t> position(graph.node_limit());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i].at()] = i;
  std::vector<std::vector<std::size_t>> next(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (ValueId output : graph.node(order[i]).outputs)
      if (output.valid())
        for (NodeId consumer : graph.value(output).consumers)
          next[i].push_back(position[consumer.at()]);
    std::sort(next[i].begin(), next[i].end());
    next[i].erase(std::unique(next[i].begin(), next[i].end()), next[i].end());
  }
  return next;
}

}  // namespace

std::int64_t width(const Graph& graph, const NodeFilter& counts) {
  const std::vector<NodeId> order = topological_order(graph);
  const auto next = successors(graph, order);
  const std::size_t n = order.size();
  const std::size_t source = 2 * n;
  const std::size_t sink = 2 * n + 1;
  const auto entry = [](std::size_t i) { return 2 * i; };
  const auto exit = [](std::size_t i) { return 2 * i + 1; };

  Network network(2 * n + 2);
  std::vector<std::size_t> through(n);
  std::vector<std::size_t> begin(n);
  std::vector<std::size_t> end(n);
  std::vector<std::vector<std::size_t>> edge(n);
  for (std::size_t i = 0; i < n; ++i) {
    begin[i] = network.add(source, entry(i), kUnbounded, 0);
    end[i] = network.add(exit(i), sink, kUnbounded, 0);
    through[i] = network.add(entry(i), exit(i), kUnbounded, 0);
    for (std::size_t j : next[i]) edge[i].push_back(network.add(exit(i), entry(j), kUnbounded, 0));
  }

  // Greedy: walk forward from each uncovered counted node, preferring successors that are not
  // covered yet. The reverse room of an arc is its flow above the lower bound.
  std::vector<bool> covered(n, false);
  std::int64_t paths = 0;
  for (std::size_t start = 0; start < n; ++start) {
    if (covered[start] || !counts(graph.node(order[start]))) continue;
    ++paths;
    network.room(begin[start] ^ 1) += 1;
    std::size_t at = start;
    while (true) {
      const bool first_cover = !covered[at] && counts(graph.node(order[at]));
      covered[at] = true;
      if (!first_cover) network.room(through[at] ^ 1) += 1;
      std::size_t pick = next[at].size();
      for (std::size_t k = 0; k < next[at].size() && pick == next[at].size(); ++k)
        if (!covered[next[at][k]]) pick = k;
      if (pick == next[at].size()) break;
      network.room(edge[at][pick] ^ 1) += 1;
      at = next[at][pick];
    }
    network.room(end[at] ^ 1) += 1;
  }
  return paths - network.maximum_flow(sink, source);
}

}  // namespace braid
