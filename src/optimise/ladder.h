#pragma once

#include <vector>

#include "optimise/predicted_time.h"
#include "optimise/rewrite_cost.h"
#include "optimise/trial.h"

namespace braid {

/// The ladder that candidates climb to become the best graph: each rung looks closer and takes
/// longer, and only what seems to be within its slack of the best so far climbs on.
class Ladder {
 public:
  /// With `judge` trials decide and the cost only filters; else the cost alone decides.
  Ladder(RewriteCost cost, bool judge, Trial& first);

  /// How far a candidate seems to be behind the best, as a logarithm, without much effort.
  double glance(Trial& trial, const TrialCost& cost) const;
  /// Whether what is so far behind at a glance is worth a climb.
  static bool is_worth_a_climb(double behind);
  /// Whether a candidate is better than the best. On the way up its schedule is improved, for so
  /// many seconds at most, and predictions learn from it.
  bool climbs(Trial& trial, const TrialCost& cost, double seconds);

  /// Makes a candidate the best, which others are compared with.
  void set_best(Trial& trial, const TrialCost& cost);
  /// The time of the first graph over that of the best.
  double ratio() const;

  const PredictedTime& predicted() const { return predicted_; }
  void set_predicted(PredictedTime predicted) { predicted_ = std::move(predicted); }

 private:
  double score(const TrialCost& cost) const;
  bool climbs_by_trial(Trial& trial, const TrialCost& cost, double seconds);

  RewriteCost kind_;
  bool judge_;
  TrialCost first_;
  TrialCost best_;
  std::vector<double> first_times_;  // if trials decide
  std::vector<double> best_times_;
  PredictedTime predicted_;
};

}  // namespace braid
