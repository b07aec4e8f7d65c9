#include "choose/given_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "plan/json.h"

namespace braid {
namespace {

/// What only the device knows about steps.
void check_steps(const Graph& lowered, const Plan& plan, const Device& device) {
  const std::vector<int> counts = device.ways(lowered);
  for (std::size_t s = 0; s < plan.streams.size(); ++s)
    for (std::size_t i = 0; i < plan.streams[s].size(); ++i) {
      const Step& step = plan.streams[s][i];
      const StepRef here{StreamId(static_cast<std::int64_t>(s)), static_cast<std::int32_t>(i)};
      const int variants = counts.empty() ? 1 : counts[step.node.at()];
      if (step.way >= variants)
        raise(ErrorKind::Model, fmt::format("{} has the variant {}, but {} has {} of them, from 0",
                                            describe(lowered, plan, here), step.way,
                                            quote(device.spec().name), variants));
      if (step.priority >= device.spec().priorities)
        raise(ErrorKind::Model,
              fmt::format("{} has the priority {}, but {} knows {}", describe(lowered, plan, here),
                          step.priority, quote(device.spec().name), device.spec().priorities));
    }
}

void check_streams(const Plan& plan, const DeviceSpec& spec) {
  if (plan.streams.size() > static_cast<std::size_t>(spec.streams))
    raise(ErrorKind::Model,
          fmt::format("the Plan has {}, the device {} has {}; on a CPU --threads gives more",
                      counted(static_cast<std::int64_t>(plan.streams.size()), "stream"),
                      quote(spec.name), spec.streams));
}

/// A variant that this device does not have becomes the first, a higher priority its highest.
Plan launchable(Plan plan, const Graph& lowered, const Device& device) {
  const std::vector<int> counts = device.ways(lowered);
  for (std::vector<Step>& stream : plan.streams)
    for (Step& step : stream) {
      if (step.way >= counts[step.node.at()]) step.way = 0;
      step.priority = std::min(step.priority, device.spec().priorities - 1);
    }
  return plan;
}

}  // namespace

Plan given_plan(const ChoiceSubject& subject, const PlanOptions& options) {
  const Graph& lowered = subject.lowered;
  const auto source = [&] { return fmt::format("in {}", quote(options.given_name)); };
  const std::string& device = subject.device.spec().name;
  if (options.rejudge && !subject.device.is_simulated())
    raise(ErrorKind::Usage,
          fmt::format("--rejudge is for simulated devices, and {} runs Plans; plan for it anew",
                      quote(device)));
  Plan plan = with_note(source, [&] {
    if (!options.rejudge) return plan_from_json(lowered, *options.given, device);
    return launchable(plan_for_another_device(lowered, *options.given, device), lowered,
                      subject.device);
  });
  check_streams(plan, subject.device.spec());
  check_steps(lowered, plan, subject.device);
  if (!subject.constraints.empty()) plan = obeying(lowered, plan, subject.constraints);
  if (options.arena_budget > 0 && plan.arena_bytes > options.arena_budget)
    raise(ErrorKind::Quota,
          fmt::format("the arena of the loaded Plan has {} bytes, more than the budget of {}; "
                      "without the Plan a smaller one is looked for",
                      plan.arena_bytes, options.arena_budget));
  return plan;
}

}  // namespace braid
