#pragma once

#include <vector>

#include "schedule/task_graph.h"

namespace braid {

/// Rows of tasks that can only follow one another, as one: the first has all the inputs, the last
/// all the readers.
struct Units {
  std::vector<std::vector<Task>> members;         ///< by unit, in topological order of units
  std::vector<std::vector<std::int32_t>> before;  ///< by unit, distinct
  std::vector<std::vector<std::int32_t>> after;

  std::size_t size() const { return members.size(); }
};

/// One unit per row of tasks, or per task.
Units units_of(const TaskGraph& tasks, bool contract_rows);

/// Cuts units 0, 1, … into blocks of consecutive ones; gives the end of each. A block ends where
/// all that follows needs only its last unit (every path leads through it); a block of more than
/// `most` units is cut again where the fewest results are still to be read.
std::vector<std::size_t> block_ends(const Units& units, std::size_t most);

}  // namespace braid
