#include "schedule/schedulers.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"

namespace braid {

const std::vector<Scheduler>& schedulers() {
  static const std::vector<Scheduler> table = {
      {.name = "sequential",
       .help = "one operator after another, each over all cores where that is faster",
       .run = sequential,
       .most_tasks = std::numeric_limits<std::size_t>::max(),
       .is_baseline = true},
      {.name = "wavefront", .help = "level by level", .run = wavefront, .variants = {kPublished}},
      {.name = "nimble",
       .help = "fewest synchronisations between as many streams as can be of use",
       .run = nimble,
       .variants = {kPublished}},
      {.name = "ios",
       .help = "stages of operators side by side, by dynamic programming",
       .run = ios,
       .variants = {kPublished},
       .most_tasks = kMostStaged,
       .is_quick = false},
      {.name = "opara",
       .help = "streams by inheritance, launched so that unlike operators overlap",
       .run = opara,
       .variants = {kPublished, kStreamsOnly, kOrderOnly}},
      {.name = "braid",
       .help = "operators side by side or cut, whichever is faster; never worse than the others",
       .run = braid_search,
       .is_quick = false,
       .tries_others = true,
       .limits_arena = true},
  };
  return table;
}

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  for (const Scheduler& scheduler : schedulers()) {
    names.emplace_back(scheduler.name);
    for (const std::string_view variant : scheduler.variants)
      names.push_back(fmt::format("{}:{}", scheduler.name, variant));
  }
  return names;
}

int stream_limit(const DeviceSpec& device, const ScheduleOptions& options) {
  const int most = std::max(1, device.streams);
  return options.streams > 0 ? std::min(options.streams, most) : most;
}

const Scheduler& baseline_scheduler() {
  return *std::ranges::find_if(schedulers(), [](const Scheduler& row) { return row.is_baseline; });
}

const Scheduler& scheduler_named(std::string_view called) {
  const std::string_view name = called.substr(0, called.find(':'));
  std::vector<std::string> names;
  for (const Scheduler& scheduler : schedulers()) {
    if (scheduler.name == name) return scheduler;
    names.emplace_back(scheduler.name);
  }
  raise(ErrorKind::Usage, fmt::format("there is no scheduler {}: choose one of {}{}", quote(name),
                                      fmt::join(names, ", "), did_you_mean(name, names)));
}

namespace {

void check_variant(const Scheduler& scheduler, std::string_view variant) {
  const std::vector<std::string> known(scheduler.variants.begin(), scheduler.variants.end());
  if (!variant.empty() && std::find(known.begin(), known.end(), variant) == known.end())
    raise(ErrorKind::Usage,
          fmt::format(
              "scheduler {} has no variant {}; {}{}", scheduler.name, quote(variant),
              known.empty() ? "it has none" : fmt::format("it has {}", fmt::join(known, ", ")),
              did_you_mean(variant, known)));
}

std::string_view variant_of(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
}

}  // namespace

void check_scheduler(std::string_view name) {
  check_variant(scheduler_named(name), variant_of(name));
}

Plan schedule(std::string_view name, const Graph& graph, const CostModel& costs,
              const DeviceSpec& device, ScheduleOptions options) {
  const Scheduler& scheduler = scheduler_named(name);
  if (!variant_of(name).empty()) options.variant = variant_of(name);
  check_variant(scheduler, options.variant);
  Plan plan = scheduler.run(graph, costs, device, options);
  if (!options.variant.empty())
    plan.scheduler = fmt::format("{}:{}", scheduler.name, options.variant);
  return plan;
}

}  // namespace braid
