#pragma once

#include <vector>

#include "base/bit_set.h"
#include "schedule/task_graph.h"

namespace braid {

/// Which tasks come after which, directly or not. Takes a bit per pair of tasks.
class Closure {
 public:
  explicit Closure(const TaskGraph& tasks);

  bool reaches(Task from, Task to) const {
    return rows_[static_cast<std::size_t>(from)].contains(static_cast<std::size_t>(to));
  }
  const BitSet& descendants(Task task) const { return rows_[static_cast<std::size_t>(task)]; }

 private:
  std::vector<BitSet> rows_;
};

/// The tasks right after every task, ascending, that no other path leads to: the least edges with
/// the same closure. Memory grows linearly with the tasks, time with tasks times edges / 64.
std::vector<std::vector<Task>> transitive_reduction(const TaskGraph& tasks);

}  // namespace braid
