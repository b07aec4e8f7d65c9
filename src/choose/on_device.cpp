#include "choose/on_device.h"

#include <optional>

#include "base/date.h"
#include "base/error.h"
#include "choose/contest.h"
#include "choose/contest_memory.h"
#include "choose/processor_time.h"
#include "choose/settled_plan.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

/// The Plan of the scheduler that everything is measured against, on so many streams at most (0:
/// all); nothing if it does not fit into the budget.
std::optional<Plan> baseline_plan(const ChoiceSubject& subject, PlanOptions options, int streams,
                                  const Quotas& quotas, const Progress& progress) {
  options.scheduler = baseline_scheduler().name;
  options.streams = streams;
  try {
    return choose(subject, options, quotas, progress).plan;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Quota || options.arena_budget == 0) throw;
    return std::nullopt;
  }
}

/// A Plan on one stream may be faster than a model thinks, on cores that others keep busy; but not
/// if all streams save more than this.
constexpr double kMostSaved = 1.6;

/// The Plans to beat, the simplest last.
std::vector<Plan> rivals_of(const Plan& kept, const ChoiceSubject& subject,
                            const PlanOptions& options, const Quotas& quotas,
                            const Progress& progress) {
  std::vector<Plan> rivals;
  const auto judge =
      subject.device.judge(subject.lowered, subject.profile.costs, subject.profile.spec);
  const double kept_us = judge->time_us(kept, kNeverGiveUp);
  for (const int streams : {options.streams, 1}) {
    auto rival = baseline_plan(subject, options, streams, quotas, progress);
    if (!rival || rival->streams == kept.streams) continue;
    if (streams == 1 && ((!rivals.empty() && rivals.back().streams == rival->streams) ||
                         judge->time_us(*rival, kNeverGiveUp) > kMostSaved * kept_us))
      continue;
    rivals.push_back(std::move(*rival));
  }
  return rivals;
}

/// A Plan and its rivals, of which each that is not beaten takes its place. They become Programs
/// together, and only if two of them have not met before.
class Contest {
 public:
  Contest(Kept kept, std::vector<Plan> rivals, const ChoiceSubject& subject,
          const ContestOptions& options, const Progress& progress)
      : kept_(std::move(kept)),
        plans_(std::move(rivals)),
        subject_(subject),
        conditions_(contest_conditions(subject)),
        progress_(progress),
        cache_(plans_.empty() ? std::nullopt : open_profile_cache(options.costs)),
        recalls_(!options.costs.remeasure) {
    plans_.insert(plans_.begin(), kept_.plan);
  }

  KeptProgram run() {
    std::size_t winner = 0;
    std::string reasons;
    for (std::size_t rival = 1; rival < plans_.size(); ++rival) {
      const ContestVerdict verdict = meet(rival, winner);
      reasons += (reasons.empty() ? "" : "; ") + verdict.reason;
      if (!verdict.challenger_won) winner = rival;
    }
    if (!reasons.empty()) kept_ = {plans_[winner], std::move(reasons)};
    if (plans_.size() > 1) tell();
    report(progress_, "compiling", 0, 0);
    if (programs_.empty())
      return {std::move(kept_), subject_.device.compile(subject_.lowered, plans_[winner])};
    return {std::move(kept_), std::move(programs_[winner])};
  }

 private:
  /// Adds to the winner what is to be told of how it won.
  void tell() {
    Settlement settlement{.settled_at = seconds_since_1970(), .contests = std::move(told_)};
    kept_.reason += load_text(settlement) + std::string(kSettleAgain);
    kept_.settlement = std::move(settlement);
  }

  ContestVerdict meet(std::size_t champion, std::size_t challenger) {
    const Plan& simple = plans_[champion];
    const Plan& other = plans_[challenger];
    if (cache_ && recalls_)
      if (const auto contest =
              remembered_contest(*cache_, conditions_, subject_.lowered, simple, other)) {
        ContestVerdict verdict = judge(simple, other, contest->times);
        verdict.reason += ", as measured on " + date_text(contest->told.held_at);
        told_.push_back(contest->told);
        return verdict;
      }
    if (programs_.empty()) {
      report(progress_, "compiling", 0, 0);
      programs_ = subject_.device.compile(subject_.lowered, plans_);
    }
    const RememberedContest contest = hold(champion, challenger);
    if (cache_) remember_contest(*cache_, conditions_, subject_.lowered, simple, other, contest);
    told_.push_back(contest.told);
    return judge(simple, other, contest.times);
  }

  RememberedContest hold(std::size_t champion, std::size_t challenger) {
    const Plan& simple = plans_[champion];
    const Plan& other = plans_[challenger];
    const auto before = processor_time();
    const ContestTimes times = run_by_turns(subject_.lowered, {simple, *programs_[champion]},
                                            {other, *programs_[challenger]}, progress_);
    HeldContest told = told_of(simple, other, times);
    told.others_share = share_of_others(before, processor_time());
    told.held_at = seconds_since_1970();
    return {times, std::move(told)};
  }

  Kept kept_;
  std::vector<Plan> plans_;  // the kept one first
  const ChoiceSubject& subject_;
  std::string conditions_;
  const Progress& progress_;
  std::optional<ProfileCache> cache_;
  bool recalls_;
  std::vector<HeldContest> told_;
  std::vector<std::unique_ptr<Program>> programs_;
};

}  // namespace

KeptProgram choose_on_device(Kept kept, const ChoiceSubject& subject, const PlanOptions& options,
                             const Quotas& quotas, const ContestOptions& contest,
                             const Progress& progress) {
  std::vector<Plan> rivals;
  const bool held = contest.wanted && !options.given && !subject.device.is_simulated() &&
                    options.scheduler != baseline_scheduler().name;
  if (held) rivals = rivals_of(kept.plan, subject, options, quotas, progress);
  KeptProgram last = Contest(std::move(kept), std::move(rivals), subject, contest, progress).run();
  if (held) SettledPlan(subject, options, contest.costs).keep(last.kept);
  return last;
}

}  // namespace braid
