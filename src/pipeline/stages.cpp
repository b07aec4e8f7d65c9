#include "pipeline/stages.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/error.h"
#include "choose/memory_check.h"
#include "choose/on_device.h"
#include "choose/settled_plan.h"
#include "graph/verify.h"
#include "measure/fastest_way.h"
#include "pipeline/optimise_once.h"
#include "plan/json.h"
#include "rewrite/canonicalise.h"
#include "rewrite/name_outputs.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

/// A stage alone may take this long, and so may all of prepare() together.
Progress within_seconds(const Progress& progress, std::int64_t seconds) {
  const auto start = std::chrono::steady_clock::now();
  return [progress, start, seconds](std::string_view phase, std::int64_t done, std::int64_t total) {
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(seconds))
      raise(ErrorKind::Quota, fmt::format("planning took more than {} s while {} (quota "
                                          "'planning_seconds')",
                                          seconds, phase));
    return !progress || progress(phase, done, total);
  };
}

PipelineOptions limited(PipelineOptions options) {
  options.progress = within_seconds(options.progress, options.quotas.planning_seconds);
  return options;
}

void mark_all_values(Graph& graph) {
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    if (value.producer.valid() && !graph.has_output(value.name)) graph.add_output(id);
  }
}

/// The disabled names that are, or are not, steps of the device.
std::vector<std::string> disabled_steps(const PipelineOptions& options, const Device& device,
                                        bool of_device) {
  const std::vector<RewriteStep> own = device.lowering_steps();
  std::vector<std::string> names;
  for (const std::string& name : options.rewrite.disabled)
    if (std::ranges::any_of(own, [&](const auto& step) { return step.name == name; }) == of_device)
      names.push_back(name);
  return names;
}

void check_disabled(const PipelineOptions& options, const Device& device) {
  std::vector<RewriteStep> all = canonicalise_steps();
  for (RewriteStep& step : device.lowering_steps()) all.push_back(std::move(step));
  enabled_steps(std::move(all), options.rewrite.disabled);
}

ChoiceSubject subject_of(const Planned& planned, const Device& device) {
  return {planned.lowered(), planned.profile(), planned.constraints, device};
}

}  // namespace

std::vector<std::string> steps_without(const Device& device) {
  std::vector<std::string> names;
  for (const OmittedStep& step : device.omitted_steps()) names.emplace_back(step.name);
  return names;
}

Canonical canonical(Graph bound, const Device& device, const PipelineOptions& given) {
  const PipelineOptions options = limited(given);
  verify(bound);
  check_disabled(options, device);
  Canonical result;
  result.original = original_nodes(bound);
  if (options.rewrite.canonicalise) {
    CanonicaliseOptions how;
    how.disabled = disabled_steps(options, device, false);
    for (std::string& step : steps_without(device)) how.disabled.push_back(std::move(step));
    how.progress = options.progress;
    Canonicalised done = canonicalise(std::move(bound), how);
    bound = std::move(done.graph);
    name_outputs(bound);
    result.steps = std::move(done.steps);
  }
  if (options.rewrite.all_values) mark_all_values(bound);
  result.graph = std::move(bound);
  return result;
}

Lowered lowered(const Canonical& model, const Device& device, const PipelineOptions& options) {
  report(options.progress, "lowering", 0, 0);
  return device.lower(model.graph, {.costs = device.modelled_costs(),
                                    .disabled = disabled_steps(options, device, true),
                                    .exact = options.exact,
                                    .choose = choose_way(model.graph, device, options)});
}

ChooseWay choose_way(const Graph& graph, const Device& device, const PipelineOptions& options) {
  if (options.plan.given)
    return [by = implementations_in_plan(*options.plan.given)](const WayQuestion& question) {
      const auto at = by.find(std::string(question.name));
      return at != by.end() ? std::vector{at->second} : std::vector<std::string>{};
    };
  ProfileOptions how = options.costs;
  how.progress = options.progress;
  const auto fastest = std::make_shared<FastestWay>(graph, device, std::move(how), options.exact);
  return [fastest](const WayQuestion& question) { return (*fastest)(question); };
}

std::shared_ptr<const Costed> costed(std::shared_ptr<const Canonical> model, Lowered lowered,
                                     const Device& device, const PipelineOptions& given) {
  const PipelineOptions options = limited(given);
  check_least_memory(lowered.graph, options.quotas);
  ProfileOptions how = options.costs;
  how.progress = options.progress;
  Profile costs = profile(lowered.graph, device, how);
  lowered.graph = with_settled_cuts(std::move(lowered.graph), costs);
  return std::make_shared<const Costed>(std::move(model), std::move(lowered), std::move(costs));
}

PlanOptions plan_options(const PipelineOptions& options) {
  PlanOptions plan = options.plan;
  plan.thorough = plan.thorough || options.costs.measure;
  return plan;
}

Planned planned(std::shared_ptr<const Costed> costed, const Device& device,
                const PipelineOptions& given) {
  const PipelineOptions options = limited(given);
  Planned result{std::move(costed)};
  if (options.plan.edits)
    result.constraints = constraints_of(
        result.lowered(), NodeNames(result.lowered(), result.costed->canonical->original),
        parse_edits(*options.plan.edits), device.spec().streams);
  const ChoiceSubject subject = subject_of(result, device);
  const PlanOptions how = plan_options(options);
  std::optional<Kept> settled;
  if (options.recall)
    settled = SettledPlan(subject, how, options.costs).find(options.quotas, options.progress);
  Kept kept =
      settled ? std::move(*settled) : choose(subject, how, options.quotas, options.progress);
  result.settled = settled.has_value();
  result.settlement = std::move(kept.settlement);
  result.plan = std::move(kept.plan);
  result.reason = std::move(kept.reason);
  result.search = kept.search;
  return result;
}

Runnable runnable(Planned planned, const Device& device, const PipelineOptions& given) {
  const PipelineOptions options = limited(given);
  Runnable result{std::move(planned)};
  const bool contest = options.contest && !result.settled;
  KeptProgram last = choose_on_device(
      {std::move(result.plan), std::move(result.reason), {}, std::move(result.settlement)},
      subject_of(result, device), plan_options(options), options.quotas,
      {.wanted = contest, .costs = options.costs}, options.progress);
  result.plan = std::move(last.kept.plan);
  result.reason = std::move(last.kept.reason);
  result.settlement = std::move(last.kept.settlement);
  result.program = std::move(last.program);
  return result;
}

Prediction predict(const Planned& planned, const Device& device) {
  const Profile& profile = planned.profile();
  return device.judge(planned.lowered(), profile.costs, profile.spec)->predict(planned.plan);
}

Bounds bounds(const Planned& planned, const Device& device) {
  const Profile& profile = planned.profile();
  return device.judge(planned.lowered(), profile.costs, profile.spec)->bounds();
}

std::shared_ptr<const Costed> to_costs(Graph bound, const Device& device,
                                       const PipelineOptions& given) {
  const PipelineOptions options = limited(given);
  auto model = std::make_shared<const Canonical>(canonical(std::move(bound), device, options));
  if (options.optimise) model = optimised_once(model, device, options);
  Lowered graph = lowered(*model, device, options);
  return costed(std::move(model), std::move(graph), device, options);
}

Planned to_plan(Graph bound, const Device& device, const PipelineOptions& given) {
  const PipelineOptions options = limited(given);
  check_scheduler(options.plan.scheduler);
  return planned(to_costs(std::move(bound), device, options), device, options);
}

Runnable prepare(Graph bound, const Device& device, const PipelineOptions& given) {
  const PipelineOptions options = limited(given);
  return runnable(to_plan(std::move(bound), device, options), device, options);
}

}  // namespace braid
