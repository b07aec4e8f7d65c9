#include "choose/choose.h"

#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "choose/given_plan.h"
#include "choose/memory_check.h"
#include "choose/unseen.h"
#include "cost/node_costs.h"
#include "plan/shuffle.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

void limit_search(ScheduleOptions& schedule, const PlanOptions& options) {
  if (options.search_seconds <= 0 && options.search_steps <= 0) return;
  schedule.quick = false;
  schedule.budget_seconds =
      options.search_seconds > 0 ? options.search_seconds : std::numeric_limits<double>::infinity();
  schedule.search_steps =
      options.search_steps > 0 ? options.search_steps : std::numeric_limits<int>::max();
}

std::string reason_of(const Judged& judged, std::int64_t budget) {
  constexpr std::string_view hows[] = {"as the scheduler made it",
                                       "with waits added so that values share bytes",
                                       "with steps put off until memory is free"};
  return fmt::format("the fastest found in {} bytes: {} on {}, {}", budget, judged.plan.scheduler,
                     counted(static_cast<std::int64_t>(judged.plan.streams.size()), "stream"),
                     hows[static_cast<std::size_t>(judged.thrift)]);
}

class Chooser {
 public:
  Chooser(const ChoiceSubject& subject, const PlanOptions& options, const Progress& progress)
      : subject_(subject),
        options_(options),
        progress_(progress),
        costs_(subject.lowered, subject.profile.costs),
        judge_(subject.device.judge(subject.lowered, subject.profile.costs, subject.profile.spec)),
        thrift_(thrift_options(subject, options, *judge_, progress)) {}

  Kept run() {
    thrift_.schedule.searched = [&](const SearchReport& found) {
      if (!search_) search_.emplace();
      search_->steps += found.steps;
      if (found.stopped == Stopped::Time) search_->stopped = Stopped::Time;
    };
    Kept kept = options_.arena_budget > 0 ? within(options_.arena_budget) : own();
    kept.search = search_;
    return kept;
  }

 private:
  Kept own() {
    std::vector<Plan> candidates;
    thrift_.schedule.candidate = [&](const Plan& plan) {
      if (judge_->knows_unseen_models() || thrift_.schedule.quick) candidates.push_back(plan);
    };
    Kept kept{plan_by(options_.scheduler)};
    const std::int64_t most = most_arena();
    if (kept.plan.arena_bytes > most) kept = within(most, candidates);
    if (!judge_->knows_unseen_models() || candidates.size() < 2) return kept;
    report(progress_, "choosing", 0, 0);
    return fastest_unseen(*judge_, std::move(candidates), options_.scheduler);
  }

  Plan plan_by(std::string_view scheduler) {
    Plan plan =
        schedule(scheduler, subject_.lowered, costs_, subject_.profile.spec, thrift_.schedule);
    return thrift_.schedule.adapt ? thrift_.schedule.adapt(plan) : plan;
  }

  Kept within(std::int64_t bytes, const std::vector<Plan>& candidates = {}) {
    BudgetOptions thrift = thrift_;
    thrift.schedule.candidate = {};
    const Graph& graph = subject_.lowered;
    const DeviceSpec& spec = subject_.profile.spec;
    std::optional<Judged> judged;
    if (thrift.schedule.quick)
      judged = fastest_within(candidates, graph, costs_, spec, thrift, bytes);
    if (!judged) judged = plan_within(graph, costs_, spec, thrift, bytes);
    std::string reason = reason_of(*judged, bytes);
    return {std::move(judged->plan), std::move(reason)};
  }

  /// The arena from which on more memory costs this device more time than a search can save.
  std::int64_t most_arena() {
    const double factor = subject_.device.spec().most_arena;
    if (factor <= 0 || !scheduler_named(options_.scheduler).limits_arena)
      return std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(
        factor * static_cast<double>(plan_by(baseline_scheduler().name).arena_bytes));
  }

  const ChoiceSubject& subject_;
  const PlanOptions& options_;
  const Progress& progress_;
  NodeCosts costs_;
  std::unique_ptr<Judge> judge_;
  BudgetOptions thrift_;
  std::optional<SearchReport> search_;  // all searches together
};

}  // namespace

BudgetOptions thrift_options(const ChoiceSubject& subject, const PlanOptions& options, Judge& judge,
                             const Progress& progress) {
  BudgetOptions thrift;
  thrift.scheduler = options.scheduler;
  thrift.schedule.evaluate = [&judge](const Plan& plan, double give_up_us) {
    return judge.time_us(plan, give_up_us);
  };
  thrift.schedule.streams = options.streams;
  thrift.schedule.start = options.start;
  thrift.schedule.ways = subject.device.ways(subject.lowered);
  thrift.schedule.progress = progress;
  thrift.schedule.quick = !options.thorough && !subject.device.is_simulated();
  limit_search(thrift.schedule, options);
  if (!subject.constraints.empty())
    thrift.schedule.adapt = [&subject](const Plan& plan) {
      return obeying(subject.lowered, plan, subject.constraints);
    };
  return thrift;
}

Kept choose(const ChoiceSubject& subject, const PlanOptions& options, const Quotas& quotas,
            const Progress& progress) {
  report(progress, "scheduling", 0, 0);
  Kept kept = options.given ? Kept{given_plan(subject, options)}
                            : Chooser(subject, options, progress).run();
  if (options.shuffle_seed) kept.plan = shuffled(subject.lowered, kept.plan, *options.shuffle_seed);
  verify(subject.lowered, kept.plan);
  check_memory(subject.lowered, kept.plan, quotas);
  return kept;
}

}  // namespace braid
