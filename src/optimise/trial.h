#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "graph/graph.h"

namespace braid {

/// What a graph costs as a whole on a device, one operator at a time.
struct TrialCost {
  double sum_us = 0;            ///< SUM: all operators one after another
  double critical_path_us = 0;  ///< CP: the longest row of operators that wait for one another
  double launches = 0;          ///< operators that do something
};

/// A graph on trial on a device, with the best way to run it that is known so far.
class Trial {
 public:
  virtual ~Trial() = default;
  virtual TrialCost cost() const = 0;
  /// Tries so many changes of the schedule, for so long at most, and keeps the best.
  virtual void improve(int steps, double seconds) = 0;
  /// What the graph takes in the models by which graphs are compared, at most so many of them.
  virtual std::vector<double> times_us(std::size_t models) = 0;
  /// What a graph may be ahead of another by the luck of measuring, as a share of its time.
  virtual double noise() const { return 0; }
};

/// Puts a graph on trial, scheduled as the other trial's graph is as far as they are alike. What is
/// given need not outlive it.
using OpenTrial = std::function<std::unique_ptr<Trial>(const Graph& graph, const Trial* like)>;

}  // namespace braid
