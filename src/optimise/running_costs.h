#pragma once

#include <functional>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace braid {

/// Tells how long a node of a graph takes.
using NodeTime = std::function<double(const Graph&, NodeId)>;

/// SUM, CP and the mixed cost C_E = alpha * CP + SUM of a graph that edits change. After an edit
/// only the times of nodes that are new or read from other nodes are asked for, and only the paths
/// through these are measured again. The numbers are those of a RunningCosts made anew, to the last
/// bit.
class RunningCosts {
 public:
  RunningCosts(const Graph& graph, NodeTime time_of);

  /// Takes in what edits did to the graph since it was last seen, in whatever number. Finds out by
  /// looking at which nodes every node reads from.
  void follow(const Graph& graph);
  /// The same for a caller who knows the nodes that were added, removed, or given other inputs: it
  /// takes time in the size of the cone before and behind them.
  void follow(const Graph& graph, std::span<const NodeId> changed);

  double sum_us() const { return sum_us_; }
  double critical_path_us() const { return critical_path_us_; }
  double mixed_us(double alpha) const { return alpha * critical_path_us_ + sum_us_; }

  double time_us(NodeId id) const { return times_[id.at()]; }
  /// The longest path that ends before the node.
  double head_us(NodeId id) const { return heads_[id.at()]; }
  /// The longest path that begins behind the node.
  double tail_us(NodeId id) const { return tails_[id.at()]; }
  /// When the value is there at the earliest: 0 if no node makes it.
  double arrival_us(const Graph& graph, ValueId value) const;

 private:
  enum class Direction { Down, Up };

  void resize(const Graph& graph);
  void forget(NodeId id);
  std::vector<NodeId> next(const Graph& graph, NodeId id, Direction direction) const;
  void measure(const Graph& graph, NodeId id, Direction direction);
  void measure_cone(const Graph& graph, const std::vector<NodeId>& seeds, Direction direction);
  void add_up();

  NodeTime time_of_;
  std::vector<double> times_;  // 0 for nodes that are gone, as heads and tails are
  std::vector<double> heads_;
  std::vector<double> tails_;
  std::vector<std::vector<NodeId>> producers_;  // as last seen, one for each input that has one
  std::vector<bool> seen_;                      // nodes that were there
  std::vector<int> waiting_;                    // 0 but while a cone is measured
  std::vector<bool> in_cone_;                   // false but while a cone is measured
  double sum_us_ = 0;
  double critical_path_us_ = 0;
};

}  // namespace braid
