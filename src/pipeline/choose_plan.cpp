#include "pipeline/choose_plan.h"

#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/judge.h"
#include "plan/json.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

void check_device(const Plan& plan, const DeviceSpec& spec) {
  if (plan.device != spec.name)
    raise(ErrorKind::Model, fmt::format("the Plan was made for the device {}, this is {}",
                                        quote(plan.device), quote(spec.name)));
  if (plan.streams.size() > static_cast<std::size_t>(spec.streams))
    raise(
        ErrorKind::Model,
        fmt::format("the Plan has {} streams, the device {} has {}; on a CPU --threads gives more",
                    plan.streams.size(), quote(spec.name), spec.streams));
}

/// Edits may spoil what was best without them, so all schedulers are asked, as `braid` does.
bool asks_all(const Prepared& lowered, std::string_view scheduler) {
  return scheduler == "braid" && !lowered.constraints.empty();
}

std::string reason_of(const Judged& judged, std::int64_t budget) {
  constexpr std::string_view hows[] = {"as the scheduler made it",
                                       "with waits added so that values share bytes",
                                       "with steps put off until memory is free"};
  const std::string limit = budget > 0 ? fmt::format(" in {} bytes", budget) : "";
  return fmt::format("the fastest found{}: {} on {} streams, {}", limit, judged.plan.scheduler,
                     judged.plan.streams.size(), hows[static_cast<std::size_t>(judged.thrift)]);
}

}  // namespace

ChosenPlan loaded_plan(const Prepared& lowered, const Device& device,
                       const PrepareOptions& options) {
  Plan plan = plan_from_json(lowered.lowered, *options.plan);
  check_device(plan, device.spec());
  if (!lowered.constraints.empty()) {
    plan = obeying(lowered.lowered, plan, lowered.constraints);
    verify(lowered.lowered, plan);
  }
  if (options.arena_budget > 0 && plan.arena_bytes > options.arena_budget)
    raise(ErrorKind::Quota,
          fmt::format("the arena of the loaded Plan has {} bytes, more than the budget of {}; "
                      "without the Plan a smaller one is looked for",
                      plan.arena_bytes, options.arena_budget));
  return {std::move(plan)};
}

ThriftOptions thrift_options(const Prepared& lowered, const Device& device,
                             std::string_view scheduler, const Progress& progress) {
  ThriftOptions options;
  options.scheduler = scheduler;
  options.schedule = schedule_options(device, lowered.lowered);
  options.schedule.progress = progress;
  if (!lowered.constraints.empty())
    options.adapt = [&](const Plan& plan) {
      return obeying(lowered.lowered, plan, lowered.constraints);
    };
  return options;
}

ChosenPlan scheduled_plan(const Prepared& lowered, const Device& device,
                          const PrepareOptions& options, std::string_view scheduler,
                          const Progress& progress) {
  report(progress, "scheduling", 0, 0);
  const Graph& graph = lowered.lowered;
  const Profile& profile = *lowered.profile;
  ThriftOptions thrift = thrift_options(lowered, device, scheduler, progress);
  if (options.search_seconds > 0) {
    thrift.schedule.budget_seconds = options.search_seconds;
    thrift.schedule.search_steps = std::numeric_limits<int>::max();
  }
  ChosenPlan chosen;
  if (options.arena_budget > 0 || asks_all(lowered, scheduler)) {
    const std::int64_t most =
        options.arena_budget > 0 ? options.arena_budget : std::numeric_limits<std::int64_t>::max();
    Judged judged = plan_within(graph, profile.costs, profile.spec, thrift, most);
    chosen.reason = reason_of(judged, options.arena_budget);
    chosen.plan = std::move(judged.plan);
  } else {
    chosen.plan = schedule(scheduler, graph, profile.costs, profile.spec, thrift.schedule);
    if (thrift.adapt) chosen.plan = thrift.adapt(chosen.plan);
  }
  verify(graph, chosen.plan);
  return chosen;
}

}  // namespace braid
