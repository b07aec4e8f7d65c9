#include "pipeline/prepare.h"

#include <chrono>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "graph/verify.h"
#include "pipeline/choose_plan.h"
#include "pipeline/contest.h"
#include "pipeline/contest_memory.h"
#include "plan/shuffle.h"
#include "plan/trace_faults.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"

namespace braid {

void mark_all_values(Graph& graph) {
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    if (value.producer.valid() && !graph.has_output(value.name)) graph.add_output(id);
  }
}

namespace {

constexpr std::string_view kSequential = "sequential";

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

/// The arena, and the inputs and outputs that live beside it.
void check_memory(const Graph& graph, const Plan& plan, const Quotas& quotas) {
  const std::int64_t limit = memory_limit(quotas);
  std::int64_t needed = plan.arena_bytes;
  std::int64_t largest = -1;
  ValueId widest;
  for (ValueId id : graph.value_ids()) {
    const std::int64_t bytes = byte_size(graph.value(id).type);
    if (graph.is_input(id) || graph.is_output(id)) needed = checked_add(needed, bytes);
    if (bytes > largest && !graph.is_constant(id)) {
      largest = bytes;
      widest = id;
    }
  }
  if (needed <= limit) return;
  const Value& value = graph.value(widest);
  Error error(ErrorKind::Quota,
              fmt::format("the model needs {} bytes of memory, more than {} (quota "
                          "'memory_bytes'); its largest value is {}, {}",
                          needed, limit, quote(value.name), to_string(value.type)));
  if (value.producer.valid()) error.add_note("made by " + describe(graph, value.producer));
  throw error;
}

/// The Plan as it is to be followed: shuffled if asked for, within the memory allowed.
ChosenPlan settled(ChosenPlan chosen, const Prepared& result, const PrepareOptions& options) {
  if (options.shuffle_seed) {
    chosen.plan = shuffled(result.lowered, chosen.plan, *options.shuffle_seed);
    verify(result.lowered, chosen.plan);
  }
  check_memory(result.lowered, chosen.plan, options.quotas);
  return chosen;
}

/// The Plan of `sequential`, to run beside another; nothing if it does not fit into the budget.
std::optional<Plan> rival(const Prepared& result, const Device& device,
                          const PrepareOptions& options, const Progress& progress) {
  try {
    return settled(scheduled_plan(result, device, options, kSequential, progress), result, options)
        .plan;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Quota || options.arena_budget == 0) throw;
    return std::nullopt;
  }
}

/// The Plan to follow and, if another is to be tried, that.
struct Plans {
  ChosenPlan chosen;
  std::optional<Plan> champion;
};

Plans plans_for(const Prepared& result, const Device& device, const PrepareOptions& options,
                const Progress& progress) {
  ChosenPlan chosen = options.plan
                          ? loaded_plan(result, device, options)
                          : scheduled_plan(result, device, options, options.scheduler, progress);
  Plans plans{settled(std::move(chosen), result, options), std::nullopt};
  if (options.compile && options.check_on_device && !options.plan && !device.is_simulated() &&
      plans.chosen.plan.scheduler != kSequential)
    plans.champion = rival(result, device, options, progress);
  return plans;
}

/// Makes both runnable and lets them run by turns; keeps the faster.
Contender winner_of(Plans plans, const Prepared& result, const Device& device, ProfileCache* cache,
                    const Progress& progress) {
  const std::vector<Plan> both = {plans.chosen.plan, *plans.champion};
  auto programs = device.compile(result.lowered, both);
  Contender challenger{std::move(plans.chosen.plan), std::move(programs[0])};
  Contender champion{std::move(*plans.champion), std::move(programs[1])};
  const ContestTimes times = run_by_turns(result.lowered, champion, challenger, progress);
  if (cache != nullptr)
    remember_contest(*cache, result.profile->conditions, result.lowered, champion.plan,
                     challenger.plan, times);
  ContestVerdict verdict = judge(champion.plan, challenger.plan, times);
  Contender& winner = verdict.challenger_won ? challenger : champion;
  winner.reason = std::move(verdict.reason);
  return std::move(winner);
}

/// Takes the loser of a contest of earlier days away, if there was one.
void recall_contest(Plans& plans, const Prepared& result, ProfileCache& cache) {
  const auto times = remembered_contest(cache, result.profile->conditions, result.lowered,
                                        *plans.champion, plans.chosen.plan);
  if (!times) return;
  ContestVerdict verdict = judge(*plans.champion, plans.chosen.plan, *times);
  if (!verdict.challenger_won) plans.chosen.plan = std::move(*plans.champion);
  plans.chosen.reason = verdict.reason + ", as measured before";
  plans.champion.reset();
}

/// The Plan to follow, made runnable if that is wanted.
Contender plan_for(const Prepared& result, const Device& device, const PrepareOptions& options,
                   const Progress& progress) {
  Plans plans = plans_for(result, device, options, progress);
  if (!options.compile)
    return {.plan = std::move(plans.chosen.plan),
            .program = nullptr,
            .reason = std::move(plans.chosen.reason)};
  std::optional<ProfileCache> cache =
      plans.champion ? open_profile_cache(options.profile) : std::nullopt;
  if (cache && !options.profile.remeasure) recall_contest(plans, result, *cache);
  report(progress, "compiling", 0, 0);
  if (plans.champion)
    return winner_of(std::move(plans), result, device, cache ? &*cache : nullptr, progress);
  auto program = device.compile(result.lowered, plans.chosen.plan);
  return {.plan = std::move(plans.chosen.plan),
          .program = std::move(program),
          .reason = std::move(plans.chosen.reason)};
}

}  // namespace

Prepared prepare(Graph graph, const Device& device, const PrepareOptions& options) {
  const Progress progress = within_seconds(options.progress, options.quotas.planning_seconds);
  check_scheduler(options.scheduler);
  Prepared result;
  verify(graph);
  if (options.edits || options.keep_names) result.original = original_nodes(graph);
  if (options.canonicalise) {
    CanonicaliseOptions steps;
    steps.disabled = options.disabled_steps;
    steps.progress = progress;
    Canonicalised canonical = canonicalise(std::move(graph), steps);
    graph = std::move(canonical.graph);
    result.canonicalised = std::move(canonical.steps);
  }
  if (options.all_values) mark_all_values(graph);
  result.graph = std::move(graph);

  report(progress, "lowering", 0, 0);
  result.lowered = device.lower(result.graph, device.modelled_costs());
  verify(result.lowered);
  if (options.edits)
    result.constraints = constraints_of(result.lowered, NodeNames(result.lowered, result.original),
                                        parse_edits(*options.edits), device.spec().streams);
  ProfileOptions profile_options = options.profile;
  profile_options.progress = progress;
  result.profile =
      options.profiled
          ? options.profiled
          : std::make_shared<const Profile>(profile(result.lowered, device, profile_options));
  result.lowered = without_cuts(std::move(result.lowered), result.profile->refused);
  Contender kept = plan_for(result, device, options, progress);
  result.plan = std::move(kept.plan);
  result.reason = std::move(kept.reason);
  result.program = std::move(kept.program);
  return result;
}

namespace {

/// Raises Internal if a step began before what it reads was written, or wrote what others used.
std::vector<Tensor> run_and_check(const Prepared& prepared, std::span<const Tensor> inputs,
                                  RunOptions options) {
  Trace own;
  if (options.trace == nullptr) options.trace = &own;
  std::vector<Tensor> outputs = prepared.program->run(inputs, options);
  const auto faults = trace_faults(prepared.lowered, prepared.plan, *options.trace);
  if (!faults.empty()) raise(ErrorKind::Internal, "a race: " + faults[0]);
  return outputs;
}

}  // namespace

std::vector<Tensor> run(const Prepared& prepared, std::span<const Tensor> inputs,
                        const RunOptions& options) {
  const Graph& graph = prepared.graph;
  if (inputs.size() != graph.inputs().size())
    raise(ErrorKind::Usage, fmt::format("the model has {} inputs, {} tensors were given",
                                        graph.inputs().size(), inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value& expected = graph.value(graph.inputs()[i]);
    if (!inputs[i].defined())
      raise(ErrorKind::Model, fmt::format("input {} ({}) was not given", quote(expected.name),
                                          to_string(expected.type)));
    if (inputs[i].type() != expected.type)
      raise(ErrorKind::Model, fmt::format("input {} has type {}, expected {}", quote(expected.name),
                                          to_string(inputs[i].type()), to_string(expected.type)));
  }
  return options.poison_seed ? run_and_check(prepared, inputs, options)
                             : prepared.program->run(inputs, options);
}

}  // namespace braid
