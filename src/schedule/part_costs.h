#pragma once

#include <vector>

#include "cost/cost_model.h"
#include "cost/signature.h"
#include "graph/graph.h"
#include "schedule/task_graph.h"

namespace braid {

/// What each task costs uncut.
std::vector<double> times_us(const Graph& graph, const CostModel& costs, const TaskGraph& tasks);

/// What each task costs in each number of parts, asked of a CostModel once.
class PartCosts {
 public:
  /// Costs in 1 to `most` parts; if that is many, in powers of two and `most`.
  PartCosts(const Graph& graph, const CostModel& costs, const TaskGraph& tasks, int most);

  struct Option {
    int parts = 1;
    Cost each;  ///< of one part

    double area_us() const { return parts * each.time_us; }
    /// The time of all parts beside one another, sharing the device's bandwidth.
    double together_us() const {
      const double bandwidth = parts * each.bandwidth_share;
      return each.time_us * (bandwidth > 1 ? bandwidth : 1);
    }
  };
  /// Ways to run a task, in ascending number of parts. The first is uncut; the others are there
  /// only if each part is shorter than with fewer.
  const std::vector<Option>& options(Task task) const {
    return options_[static_cast<std::size_t>(task)];
  }
  const Cost& whole(Task task) const { return options(task).front().each; }
  const Option& fastest(Task task) const { return options(task).back(); }
  /// The option of that many parts, or the nearest below.
  const Option& in_parts(Task task, int parts) const;

 private:
  std::vector<std::vector<Option>> options_;
};

}  // namespace braid
