#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "schedule/list_schedule.h"
#include "schedule/part_costs.h"
#include "schedule/task_graph.h"

namespace braid {

struct SearchLimits {
  int steps = 0;       ///< changes to try
  double seconds = 0;  ///< to stop after
  std::uint64_t seed = 1;
  Progress progress = {};
};

/// Why a search went no further.
enum class Stopped : std::uint8_t {
  Steps,  ///< it has tried as many changes as it was to
  Time    ///< it was to take no longer
};
std::string_view name(Stopped stopped);

/// What a search did.
struct SearchReport {
  int steps = 0;  ///< changes that were tried
  Stopped stopped = Stopped::Steps;
};

/// What the schedule that follows a guide takes.
using GuideJudge = std::function<double(const Guide&)>;

struct Improved {
  Guide guide;
  double time_us = 0;
  SearchReport search = {};
};

/// Tries small changes of a guide, to the priority or the parts of one task or of all tasks of a
/// class at once, and keeps those that do not make it slower. Depends on nothing but its arguments,
/// unless time runs out.
Improved improve_guide(Guide start, const PartCosts& costs,
                       const std::vector<std::vector<Task>>& classes, const GuideJudge& judge,
                       const SearchLimits& limits);

/// Tasks that look alike, so that what is good for one is tried on all: equal costs, and equal
/// neighbours some edges around. Classes are in the order of their least tasks.
std::vector<std::vector<Task>> alike(const TaskGraph& tasks, const PartCosts& costs);

}  // namespace braid
