#include "pipeline/choose_plan.h"

#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cost/node_costs.h"
#include "pipeline/judge.h"
#include "pipeline/unseen.h"
#include "plan/json.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

/// What only the device knows about steps.
void check_steps(const Graph& lowered, const Plan& plan, const Device& device) {
  const std::vector<int> variants = device.variants(lowered);
  for (std::size_t s = 0; s < plan.streams.size(); ++s)
    for (std::size_t i = 0; i < plan.streams[s].size(); ++i) {
      const Step& step = plan.streams[s][i];
      const StepRef here{StreamId(static_cast<std::int64_t>(s)), static_cast<std::int32_t>(i)};
      const int ways = variants.empty() ? 1 : variants[step.node.at()];
      if (step.variant >= ways)
        raise(ErrorKind::Model, fmt::format("{} has the variant {}, but {} runs it in {} ways",
                                            describe(lowered, plan, here), step.variant,
                                            quote(device.spec().name), ways));
      if (step.priority >= device.spec().priorities)
        raise(ErrorKind::Model,
              fmt::format("{} has the priority {}, but {} knows {}", describe(lowered, plan, here),
                          step.priority, quote(device.spec().name), device.spec().priorities));
    }
}

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

/// How much more memory than one operator after another the Plan of `braid` may take.
constexpr double kMostArena = 1.2;

std::string reason_of(const Judged& judged, std::int64_t budget) {
  constexpr std::string_view hows[] = {"as the scheduler made it",
                                       "with waits added so that values share bytes",
                                       "with steps put off until memory is free"};
  return fmt::format("the fastest found in {} bytes: {} on {} streams, {}", budget,
                     judged.plan.scheduler, judged.plan.streams.size(),
                     hows[static_cast<std::size_t>(judged.thrift)]);
}

ChosenPlan plan_of_size(const Prepared& lowered, const CostModel& costs,
                        const ThriftOptions& thrift, std::int64_t bytes) {
  Judged judged = plan_within(lowered.lowered, costs, lowered.profile->spec, thrift, bytes);
  std::string reason = reason_of(judged, bytes);
  return {std::move(judged.plan), std::move(reason)};
}

void limit_search(ScheduleOptions& schedule, const PrepareOptions& options) {
  if (options.search_seconds <= 0 && options.search_steps <= 0) return;
  schedule.budget_seconds =
      options.search_seconds > 0 ? options.search_seconds : std::numeric_limits<double>::infinity();
  schedule.search_steps =
      options.search_steps > 0 ? options.search_steps : std::numeric_limits<int>::max();
}

}  // namespace

ChosenPlan loaded_plan(const Prepared& lowered, const Device& device,
                       const PrepareOptions& options) {
  Plan plan = plan_from_json(lowered.lowered, *options.plan);
  check_device(plan, device.spec());
  check_steps(lowered.lowered, plan, device);
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
    options.schedule.adapt = [&](const Plan& plan) {
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
  const NodeCosts costs(graph, profile.costs);
  ThriftOptions thrift = thrift_options(lowered, device, scheduler, progress);
  limit_search(thrift.schedule, options);
  ChosenPlan chosen;
  if (options.arena_budget > 0) {
    chosen = plan_of_size(lowered, costs, thrift, options.arena_budget);
  } else {
    std::vector<Plan> candidates;
    if (device.is_simulated())
      thrift.schedule.candidate = [&](const Plan& plan) { candidates.push_back(plan); };
    const auto plan_by = [&](std::string_view name) {
      Plan plan = schedule(name, graph, costs, profile.spec, thrift.schedule);
      return thrift.schedule.adapt ? thrift.schedule.adapt(plan) : plan;
    };
    chosen.plan = plan_by(scheduler);
    if (!device.is_simulated() && scheduler == "braid") {
      const auto most = static_cast<std::int64_t>(
          kMostArena * static_cast<double>(plan_by("sequential").arena_bytes));
      if (chosen.plan.arena_bytes > most) chosen = plan_of_size(lowered, costs, thrift, most);
    }
    if (candidates.size() > 1) {
      report(progress, "choosing", 0, 0);
      chosen = fastest_unseen(graph, device, std::move(candidates), scheduler);
    }
  }
  verify(graph, chosen.plan);
  return chosen;
}

}  // namespace braid
