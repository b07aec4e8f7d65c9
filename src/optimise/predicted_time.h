#pragma once

#include <vector>

#include "optimise/trial.h"

namespace braid {

/// The mixed critical path cost as a prediction of time, fitted while graphs are judged:
///
///     T = a CP + b SUM + c launches      a, b, c not negative
///
/// a / b is AutoGraph's alpha. Before enough graphs were seen, alpha is 1 and launches count
/// nothing.
class PredictedTime {
 public:
  void add(const TrialCost& cost, double time_us);

  double time_us(const TrialCost& cost) const;
  double alpha() const;
  /// What a launch costs beside the operators' own time.
  double launch_us() const { return sum_ > 0 ? launch_ / sum_ : 0; }

 private:
  void fit();

  struct Sample {
    TrialCost cost;
    double time_us;
  };
  std::vector<Sample> samples_;
  double path_ = 0.5;
  double sum_ = 0.5;
  double launch_ = 0;
};

}  // namespace braid
