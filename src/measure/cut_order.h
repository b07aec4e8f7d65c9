#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cost/cost_table.h"
#include "graph/graph.h"

namespace braid {

/// A cut by which the parts of a node are faster than by the one that its kernel puts first.
struct FasterCut {
  std::string node;  ///< signature of the whole nodes (cost/signature.h)
  Cut cut;

  bool operator==(const FasterCut&) const = default;
};

/// What the parts of nodes take by one cut or another, as far as that was measured.
class TimesOfCuts {
 public:
  explicit TimesOfCuts(int parts) : parts_(parts) {}

  /// Whose order the cuts of a graph are in: the one that kernels give them, or another.
  enum class OrderOf { Kernels, Trials };
  /// Notes what the first cut of every node takes, if it has several.
  void note(const Graph& lowered, const CostTable& costs, OrderOf order);

  /// The nodes that have a faster cut than the one their kernels put first.
  std::vector<FasterCut> faster() const;

 private:
  struct Time {
    Cut cut;
    double us = 0;
    bool is_first = false;  ///< by the kernel's order
  };
  static std::optional<Cut> faster_than_first(const std::vector<Time>& times);

  int parts_;
  std::map<std::string, std::vector<Time>> times_;  // by the signature of the whole node
};

/// The lowered graph in which the cut at that place comes first among those of every node that has
/// so many.
Graph with_cut_first(Graph lowered, std::size_t place);

/// The lowered graph in which the faster cuts come first.
Graph with_faster_cuts(Graph lowered, std::span<const FasterCut> faster);

}  // namespace braid
