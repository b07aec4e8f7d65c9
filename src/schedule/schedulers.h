#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "cost/cost_model.h"
#include "plan/plan.h"
#include "schedule/lane_simulator.h"
#include "schedule/local_search.h"

namespace braid {

struct ScheduleOptions {
  int streams = 0;           ///< at most this many; 0: as many as the device has
  std::string variant = {};  ///< one of the scheduler's; empty: as we think it should be

  // Options of searching schedulers:
  /// A Plan of the same graph to begin with, beside others; it need not be placed.
  std::optional<Plan> start = {};
  /// Judges Plans instead of the lane simulator (schedule/lane_simulator.h).
  Evaluate evaluate = {};
  /// How many ways the device has to run each node, by its id (Step::way); empty: one.
  std::vector<int> ways = {};
  /// What every Plan goes through before it is judged (edits), placed or not; empty: nothing.
  std::function<Plan(const Plan&)> adapt = {};
  /// A function that gets the Plans among which a scheduler chose, each under the name of the
  /// scheduler that made it, so that the caller may judge them, too.
  std::function<void(const Plan&)> candidate = {};
  /// Told what a search did, when it ends.
  std::function<void(const SearchReport&)> searched = {};
  double budget_seconds = 10;  ///< for a search, at most
  int search_steps = 0;        ///< changes to try; 0: by the size of the graph
  /// Much less time than it takes to load a model: few changes, and no other schedulers.
  bool quick = false;
  std::uint64_t seed = 1;
  Progress progress = {};  ///< told how far the search is
};

/// The algorithm as its authors coded it, for comparison with their figures.
inline constexpr std::string_view kPublished = "published";
/// Opara's streams, launched in topological order.
inline constexpr std::string_view kStreamsOnly = "streams-only";
/// Opara's launch order, on Nimble's streams.
inline constexpr std::string_view kOrderOnly = "order-only";

/// The streams that a Plan may use.
int stream_limit(const DeviceSpec& device, const ScheduleOptions& options);

using SchedulerFunction = Plan (*)(const Graph&, const CostModel&, const DeviceSpec&,
                                   const ScheduleOptions&);

/// Larger graphs are scheduled, not searched.
inline constexpr std::size_t kManyTasks = 20'000;
/// Larger graphs are not cut into stages.
inline constexpr std::size_t kMostStaged = 3'000;

struct Scheduler {
  std::string_view name;
  std::string_view help;  ///< one line
  SchedulerFunction run;
  std::vector<std::string_view> variants = {};
  /// Tasks of the largest graph for which another scheduler asks it, too.
  std::size_t most_tasks = kManyTasks;
  bool is_quick = true;       ///< may be asked again and again, on fewer and fewer streams
  bool is_baseline = false;   ///< what others are measured against
  bool tries_others = false;  ///< compares its own Plans with those of all others
  bool limits_arena = false;  ///< keeps to DeviceSpec::most_arena
};

/// One row per scheduler, in the order in which they are shown.
const std::vector<Scheduler>& schedulers();
/// Every name by which schedule() can be asked: each scheduler, and behind it its variants.
std::vector<std::string> scheduler_names();
/// The scheduler of a name, which may carry a variant. Throws Usage, listing the names, if there is
/// none.
const Scheduler& scheduler_named(std::string_view called);
/// The scheduler that others are measured against.
const Scheduler& baseline_scheduler();
/// Throws Usage if schedule() would not know the name.
void check_scheduler(std::string_view name);
/// A Plan by the scheduler of that name, which may carry a variant: "opara:published". The Plan
/// says so, variant included. Throws Usage, listing what there is, if there is no such scheduler or
/// variant.
Plan schedule(std::string_view name, const Graph& graph, const CostModel& costs,
              const DeviceSpec& device, ScheduleOptions options = {});

/// One operator after another, in topological order; over all streams in parts, where that is
/// faster.
Plan sequential(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                const ScheduleOptions& options);
/// All tasks of one level, side by side; then those of the next.
Plan wavefront(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
               const ScheduleOptions& options);
/// As many streams as tasks could ever run side by side, and as few synchronisations as that
/// allows.
Plan nimble(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
            const ScheduleOptions& options);
/// Stages of groups that run side by side, found by dynamic programming.
Plan ios(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
         const ScheduleOptions& options);
/// Streams by inheritance, launched so that unlike operators overlap.
Plan opara(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
           const ScheduleOptions& options);
/// Ours: docs/papers.md says what it takes from whom.
Plan braid_search(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                  const ScheduleOptions& options);

}  // namespace braid
