#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "plan/plan.h"

/// For tests of Plans that are written by hand.

namespace braid {

/// Runs the node that makes `output`, whole.
inline Step step(const Graph& graph, std::string_view output, std::vector<StepRef> waits = {}) {
  Step step;
  step.node = graph.value(graph.find(output)).producer;
  step.waits = std::move(waits);
  return step;
}

}  // namespace braid
