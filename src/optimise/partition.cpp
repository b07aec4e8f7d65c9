#include "optimise/partition.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "ops/call.h"
#include "optimise/min_cut.h"

namespace braid {
namespace {

/// All nodes, by how late they can be, counted from the end. So a branch stands beside what it is
/// needed for, and not where its inputs would let it begin.
Part nodes_by_latest_level(const Graph& graph) {
  std::vector<int> level(graph.node_limit(), 0);
  std::vector<NodeId> order = graph.nodes_in_order();
  std::ranges::reverse(order);
  for (const NodeId id : order)
    for (const ValueId output : graph.node(id).outputs) {
      if (!output.valid()) continue;
      for (const NodeId reader : graph.value(output).consumers)
        level[id.at()] = std::min(level[id.at()], level[reader.at()] - 1);
    }
  Part nodes = graph.node_ids();
  std::ranges::sort(nodes, {}, [&](NodeId id) { return std::pair(level[id.at()], id); });
  return nodes;
}

/// The network of a set of nodes. Its first nodes, so many that they have the least share of
/// operators, are one with the source, its last ones with the target; the others have nodes of
/// their own.
///
///     a value and its readers      producer --1--> value --never--> reader --never--> producer
///     a bond and its nodes         node --never--> in --weight--> out --never--> node
///
/// A reader leads back to the producer, so that what is before the cut needs nothing behind it; and
/// a bond is paid once, however many of its nodes are parted.
class PartNetwork {
 public:
  PartNetwork(const Graph& graph, const Part& nodes, std::vector<int>& place)
      : graph_(graph), nodes_(nodes), place_(place), network_(2) {}

  ~PartNetwork() {
    for (const NodeId id : nodes_) place_[id.at()] = kOutside;
  }
  PartNetwork(const PartNetwork&) = delete;
  PartNetwork& operator=(const PartNetwork&) = delete;

  /// The two parts of the best cut.
  std::pair<Part, Part> cut(const std::vector<Bond>& bonds, double balance) {
    place_nodes(balance);
    const std::int64_t values = add_values();
    for (const Bond& bond : bonds) add_bond(bond, values + 1);
    const CutNetwork::Sides sides = network_.minimum_cut(kSource, kTarget);
    auto smallest = parted(sides.smallest);
    auto largest = parted(sides.largest);
    return unevenness(smallest) <= unevenness(largest) ? std::move(smallest) : std::move(largest);
  }

  static constexpr int kOutside = -1;

 private:
  static constexpr int kSource = 0;
  static constexpr int kTarget = 1;

  void place_nodes(double balance) {
    const auto share = static_cast<std::size_t>(
        std::ceil(balance * static_cast<double>(operator_count(graph_, nodes_))));
    std::size_t end = nodes_.size();
    for (std::size_t found = 0; found < share;)
      if (counts_as_operator(graph_.node(nodes_[--end]))) ++found;
    std::size_t found = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      int& place = place_[nodes_[i].at()];
      place = i >= end ? kTarget : found < share ? kSource : network_.add_node();
      if (counts_as_operator(graph_.node(nodes_[i]))) ++found;
    }
  }

  /// The number of values that a cut may part.
  std::int64_t add_values() {
    std::int64_t values = 0;
    for (const NodeId id : nodes_)
      for (const ValueId output : graph_.node(id).outputs) {
        if (!output.valid()) continue;
        std::vector<int> readers = places_of(graph_.value(output).consumers);
        std::erase(readers, place_[id.at()]);
        if (readers.empty()) continue;
        ++values;
        const int value = network_.add_node();
        network_.add_arc(place_[id.at()], value, 1);
        for (const int reader : readers) {
          network_.add_arc(value, reader, CutNetwork::kNever);
          network_.add_arc(reader, place_[id.at()], CutNetwork::kNever);
        }
      }
    return values;
  }

  void add_bond(const Bond& bond, std::int64_t unit) {
    const bool is_inside =
        std::ranges::all_of(bond.nodes, [&](NodeId id) { return place_[id.at()] != kOutside; });
    const std::vector<int> places = places_of(bond.nodes);
    const auto weight = std::llround(
        std::min(bond.weight * static_cast<double>(unit), static_cast<double>(CutNetwork::kMost)));
    if (!is_inside || places.size() < 2 || weight <= 0) return;
    const int in = network_.add_node();
    const int out = network_.add_node();
    network_.add_arc(in, out, weight);
    for (const int place : places) {
      network_.add_arc(place, in, CutNetwork::kNever);
      network_.add_arc(out, place, CutNetwork::kNever);
    }
  }

  /// Where the nodes that are inside stand, each place once.
  std::vector<int> places_of(const std::vector<NodeId>& ids) const {
    std::vector<int> places;
    for (const NodeId id : ids)
      if (place_[id.at()] != kOutside) places.push_back(place_[id.at()]);
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }

  std::pair<Part, Part> parted(const std::vector<bool>& is_before) const {
    std::pair<Part, Part> parts;
    for (const NodeId id : nodes_)
      (is_before[static_cast<std::size_t>(place_[id.at()])] ? parts.first : parts.second)
          .push_back(id);
    return parts;
  }

  std::int64_t unevenness(const std::pair<Part, Part>& parts) const {
    return std::abs(static_cast<std::int64_t>(operator_count(graph_, parts.first)) -
                    static_cast<std::int64_t>(operator_count(graph_, parts.second)));
  }

  const Graph& graph_;
  const Part& nodes_;        // every node after those that it needs
  std::vector<int>& place_;  // of each node of the graph in the network; kOutside between cuts
  CutNetwork network_;
};

}  // namespace

std::vector<Bond> match_bonds(const Graph& graph, const std::vector<std::string>& rules) {
  std::map<std::vector<NodeId>, double> weights;
  for (const PositionalMove& move : all_moves(graph, rules)) {
    std::vector<NodeId> nodes = move.match.nodes;
    nodes.push_back(move.match.anchor);
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (nodes.size() > 1) weights[std::move(nodes)] += 1;
  }
  std::vector<Bond> bonds;
  for (const auto& [nodes, weight] : weights) bonds.push_back({nodes, weight});
  return bonds;
}

std::size_t operator_count(const Graph& graph, const Part& nodes) {
  return static_cast<std::size_t>(
      std::ranges::count_if(nodes, [&](NodeId id) { return counts_as_operator(graph.node(id)); }));
}

std::vector<Part> partition(const Graph& graph, const std::vector<Bond>& bonds,
                            const PartitionOptions& options) {
  require(options.size_lower >= 2 && options.balance > 0 && options.balance <= 0.5,
          "a part of one operator is not cut, and both sides of a cut have some");
  std::vector<int> place(graph.node_limit(), PartNetwork::kOutside);
  std::vector<Part> parts;
  std::vector<Part> open = {nodes_by_latest_level(graph)};
  while (!open.empty()) {
    Part nodes = std::move(open.back());
    open.pop_back();
    if (operator_count(graph, nodes) < options.size_lower) {
      if (!nodes.empty()) parts.push_back(std::move(nodes));
      continue;
    }
    auto [before, behind] = PartNetwork(graph, nodes, place).cut(bonds, options.balance);
    open.push_back(std::move(behind));
    open.push_back(std::move(before));
  }
  return parts;
}

}  // namespace braid
