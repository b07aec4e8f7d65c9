#pragma once

#include "optimise/search.h"
#include "pipeline/stages.h"
#include "schedule/carry_over.h"

namespace braid {

/// A Trial on a device, which knows where it would begin to look for a Plan.
class DeviceTrial : public Trial {
 public:
  /// A Plan of the lowered graph to begin a search with; nothing if there is none.
  virtual std::optional<Plan> plan_for(const Graph& lowered) const = 0;
};

/// What segments cost on a device that launches: lowered alone, each operator by the device's
/// model.
WeightedSegmentCost segment_cost(const Device& device);
/// What a node of a graph that was not lowered takes; nothing if it would be a view.
NodeTime time_before_lowering(const Device& device);

/// Trials on a device. `planned`, if given, is how a graph that is put on trial without a like is
/// known to run. All that is given must outlive the trials.
OpenTrial open_trials(const Device& device, const PipelineOptions& options, const Planned* planned);

}  // namespace braid
