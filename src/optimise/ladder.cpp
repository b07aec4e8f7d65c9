#include "optimise/ladder.h"

#include <algorithm>
#include <cmath>

#include "base/samples.h"

namespace braid {
namespace {

constexpr double kPredictedSlack = 0.05;  ///< by cost alone
constexpr double kCarriedSlack = 0.03;    ///< in few models, scheduled as the best was
constexpr double kTriedSlack = 0.004;     ///< after a few changes of the schedule
constexpr std::size_t kFewModels = 3;
constexpr std::size_t kAllModels = 1000;
constexpr int kFewSteps = 40;
constexpr int kMoreSteps = 80;
/// What is ahead by less may be so by the luck of its schedule.
constexpr double kLeastGain = 0.0015;
constexpr double kLeastByCost = 1e-4;

}  // namespace

Ladder::Ladder(RewriteCost cost, bool judge, Trial& first)
    : kind_(cost), judge_(judge), first_(first.cost()), best_(first_) {
  if (!judge) return;
  first_times_ = best_times_ = first.times_us(kAllModels);
  predicted_.add(first_, geometric_mean(first_times_));
}

double Ladder::score(const TrialCost& cost) const {
  switch (kind_) {
    case RewriteCost::Sum:
      return cost.sum_us;
    case RewriteCost::CriticalPath:
      return cost.critical_path_us;
    case RewriteCost::Mixed:
      return predicted_.time_us(cost);
  }
  return 0;
}

double Ladder::glance(Trial& trial, const TrialCost& cost) const {
  const double by_cost = std::log(score(cost) / score(best_));
  if (!judge_ || by_cost > kPredictedSlack) return by_cost;
  return mean_log_ratio(trial.times_us(kFewModels), best_times_);
}

bool Ladder::is_worth_a_climb(double behind) { return behind < kCarriedSlack; }

bool Ladder::climbs(Trial& trial, const TrialCost& cost, double seconds) {
  return judge_ ? climbs_by_trial(trial, cost, seconds)
                : score(cost) < score(best_) * (1 - kLeastByCost);
}

bool Ladder::climbs_by_trial(Trial& trial, const TrialCost& cost, double seconds) {
  if (score(cost) > score(best_) * (1 + kPredictedSlack)) return false;
  const auto behind = [&](std::size_t models) {
    return mean_log_ratio(trial.times_us(models), best_times_);
  };
  if (behind(kFewModels) > kCarriedSlack) return false;
  trial.improve(kFewSteps, seconds);
  if (behind(kFewModels) > kTriedSlack) return false;
  trial.improve(kMoreSteps, seconds);
  const std::vector<double> times = trial.times_us(kAllModels);
  predicted_.add(cost, geometric_mean(times));
  return mean_log_ratio(times, best_times_) < -std::max(kLeastGain, trial.noise());
}

void Ladder::set_best(Trial& trial, const TrialCost& cost) {
  best_ = cost;
  if (judge_) best_times_ = trial.times_us(kAllModels);
}

double Ladder::ratio() const {
  return judge_ ? std::exp(mean_log_ratio(first_times_, best_times_))
                : score(first_) / score(best_);
}

}  // namespace braid
