#pragma once

#include "cost/contest_times.h"
#include "pipeline/stages.h"

namespace braid {

/// Two graphs with the same inputs and outputs on a device that runs: how long each took, by turns.
struct GraphContest {
  ContestTimes times;  ///< the champion is what was given
  /// Why the challenger must not take its place: other numbers, beyond 1e-4 of an output's largest
  /// element; empty: they agree.
  std::string disagreement = {};
};

/// Runs both by turns, 200 times each or for some seconds.
GraphContest contest_of_graphs(const Planned& given, const Planned& rewritten, const Device& device,
                               const PipelineOptions& options);

/// The largest difference of two lists of outputs, in words with the output's name, if it is beyond
/// 1e-4 of that output's largest element; empty otherwise.
std::string disagreement(const Graph& graph, const std::vector<Tensor>& expected,
                         const std::vector<Tensor>& got);

}  // namespace braid
