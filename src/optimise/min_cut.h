#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace braid {

/// A network in which a minimum cut between two nodes is wanted: a set of nodes with the source and
/// without the target, such that the arcs which leave it hold as little as can be.
class CutNetwork {
 public:
  /// The capacity of an arc that is never cut, and the largest one of an arc that may be: many of
  /// either add up without overflow.
  static constexpr std::int64_t kNever = std::int64_t{1} << 44;
  static constexpr std::int64_t kMost = std::int64_t{1} << 30;

  explicit CutNetwork(int nodes) : nodes_(nodes) {}

  int add_node() { return nodes_++; }
  void add_arc(int from, int to, std::int64_t capacity) { arcs_.push_back({from, to, capacity}); }

  /// Of all minimum cuts, the source sides of the one with the fewest nodes and of the one with the
  /// most, as a flag for each node.
  struct Sides {
    std::int64_t capacity = 0;
    std::vector<bool> smallest;
    std::vector<bool> largest;
  };
  Sides minimum_cut(int source, int target) const;

 private:
  struct Arc {
    int from;
    int to;
    std::int64_t capacity;
  };
  int nodes_;
  std::vector<Arc> arcs_;
};

}  // namespace braid
