#pragma once

#include <string>
#include <unordered_map>

#include "schedule/schedulers.h"

namespace braid {

/// Where the steps of a Plan stand, by the names of what they make: what can be carried over to a
/// graph that is the same but for a few nodes.
struct NamedSteps {
  struct Place {
    int stream = 0;
    int launch = 0;
    int priority = 0;
    int way = 0;
  };
  std::unordered_map<std::string, Place> places;
  int streams = 0;
};
NamedSteps named_steps(const Graph& lowered, const Plan& plan);

/// A Plan for a device that launches, in which tasks stand where the steps of their names stood.
/// Others are launched just before what first needs them, on a stream on which they hold up no one
/// if there is one. With `options.evaluate` to judge by, that is one start among several, and the
/// best is taken; or if `options.search_steps` are asked for, changes of it are tried. Nothing is
/// placed: the Plan is for a judge of time.
Plan carried_over(const NamedSteps& steps, const Graph& lowered, const CostModel& costs,
                  const DeviceSpec& device, const ScheduleOptions& options);

}  // namespace braid
