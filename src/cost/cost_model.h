#pragma once

#include <string>

#include "graph/graph.h"
#include "ops/op.h"

namespace braid {

/// The facts about a device that decide how work is spread over it.
struct DeviceSpec {
  std::string name;                ///< "cpu", "cuda:0", "sim:a100"
  int streams = 1;                 ///< rows of work that may run side by side
  double flops_per_us = 0;         ///< of one stream
  double bytes_per_us = 0;         ///< of the whole device's memory
  double bytes_per_us_stream = 0;  ///< that one stream alone can draw
  double launch_us = 0;            ///< fixed cost of a step
  double wait_us = 0;              ///< fixed cost of a wait between streams
  int priorities = 1;              ///< that a step may have: Step::priority is less
  /// Whether work is launched in one order and shares the device as it comes, as on a GPU; else
  /// streams are lanes, each of which runs its steps one after another.
  bool launches = false;
  /// An arena this many times as large as one operator after another needs, or larger, costs more
  /// time than running side by side saves; 0: memory costs no time.
  double most_arena = 0;

  bool operator==(const DeviceSpec&) const = default;
};

/// The cost of one node, or of one of `parts` equal parts of it, running alone.
struct Cost {
  double time_us = 0;
  double compute_share = 0;    ///< of the device's arithmetic while it runs, 0 to 1
  double bandwidth_share = 0;  ///< of the device's memory bandwidth while it runs, 0 to 1
  /// The time it takes while another stream reads memory as fast as it can: `time_us` if that does
  /// not slow it down, more the more it depends on memory.
  double time_beside_us = 0;
  /// The launch of the kernel that takes most of the time on a GPU; it has no blocks elsewhere.
  Footprint launch = {0, 0, 0, 0};
};

/// Answers what a node costs. Safe to ask from several threads.
class CostModel {
 public:
  virtual ~CostModel() = default;
  virtual Cost cost(const Graph& graph, NodeId node, int parts = 1) const = 0;
};

}  // namespace braid
