#include "choose/on_device.h"

#include <optional>

#include "base/error.h"
#include "choose/contest.h"
#include "choose/contest_memory.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

/// The Plan to beat; nothing if it does not fit into the budget.
std::optional<Plan> champion_of(const ChoiceSubject& subject, PlanOptions options,
                                const Quotas& quotas, const Progress& progress) {
  options.scheduler = baseline_scheduler().name;
  try {
    return choose(subject, options, quotas, progress).plan;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Quota || options.arena_budget == 0) throw;
    return std::nullopt;
  }
}

KeptProgram run_contest(Kept kept, Plan rival, const ChoiceSubject& subject, ProfileCache* cache,
                        const Progress& progress) {
  const std::vector<Plan> both = {kept.plan, rival};
  auto programs = subject.device.compile(subject.lowered, both);
  Contender challenger{std::move(kept.plan), std::move(programs[0])};
  Contender champion{std::move(rival), std::move(programs[1])};
  const ContestTimes times = run_by_turns(subject.lowered, champion, challenger, progress);
  if (cache != nullptr)
    remember_contest(*cache, subject.profile.conditions, subject.lowered, champion.plan,
                     challenger.plan, times);
  ContestVerdict verdict = judge(champion.plan, challenger.plan, times);
  Contender& winner = verdict.challenger_won ? challenger : champion;
  return {{std::move(winner.plan), std::move(verdict.reason)}, std::move(winner.program)};
}

/// The winner of a contest of an earlier day; nothing if the two never met.
std::optional<Kept> recalled(const Plan& challenger, const Plan& champion,
                             const ChoiceSubject& subject, ProfileCache& cache) {
  const auto times =
      remembered_contest(cache, subject.profile.conditions, subject.lowered, champion, challenger);
  if (!times) return std::nullopt;
  const ContestVerdict verdict = judge(champion, challenger, *times);
  return Kept{verdict.challenger_won ? challenger : champion,
              verdict.reason + ", as measured before"};
}

}  // namespace

KeptProgram choose_on_device(Kept kept, const ChoiceSubject& subject, const PlanOptions& options,
                             const Quotas& quotas, const ContestOptions& contest,
                             const Progress& progress) {
  std::optional<Plan> champion;
  if (contest.wanted && !options.given && !subject.device.is_simulated() &&
      kept.plan.scheduler != baseline_scheduler().name)
    champion = champion_of(subject, options, quotas, progress);
  std::optional<ProfileCache> cache = champion ? open_profile_cache(contest.costs) : std::nullopt;
  if (cache && !contest.costs.remeasure)
    if (auto winner = recalled(kept.plan, *champion, subject, *cache)) {
      kept = std::move(*winner);
      champion.reset();
    }
  report(progress, "compiling", 0, 0);
  if (champion)
    return run_contest(std::move(kept), std::move(*champion), subject, cache ? &*cache : nullptr,
                       progress);
  auto program = subject.device.compile(subject.lowered, kept.plan);
  return {std::move(kept), std::move(program)};
}

}  // namespace braid
