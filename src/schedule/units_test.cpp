#include "schedule/units.h"

#include <gtest/gtest.h>

#include "schedule/testing/graphs.h"

namespace braid {
namespace {

TEST(TaskGraph, ViewsAreContractedIntoTheirWriters) {
  Grower grower;
  const ValueId made = grower.add({grower.input()});
  const Graph graph = grower.finish(grower.add({grower.add_view(made)}));
  const TaskGraph tasks = task_graph(graph);
  ASSERT_EQ(tasks.size(), 2);
  EXPECT_EQ(tasks.before[1], std::vector<Task>{0});
  EXPECT_EQ(tasks.views[0].size(), 1);
  EXPECT_EQ(task_graph(graph, Views::AsTasks).size(), 3);
}

TEST(Units, ContractRowsThatCanOnlyFollowOneAnother) {
  const TaskGraph tasks = task_graph(inception_block());
  const Units units = units_of(tasks, true);
  EXPECT_EQ(units.size(), 6);  // top, four branches, join
  EXPECT_EQ(units.before[5].size(), 4);
  EXPECT_EQ(units.after[0].size(), 4);
  EXPECT_EQ(units_of(tasks, false).size(), tasks.size());
}

TEST(Units, BlocksEndWhereEveryPathLeadsThrough) {
  Grower grower;
  ValueId at = grower.input();
  for (int cell = 0; cell < 3; ++cell)
    at = grower.add({grower.add({at}), grower.add({at}), grower.add({at})});
  const Units units = units_of(task_graph(grower.finish(at)), true);
  const std::vector<std::size_t> expected = {4, 8, 12};
  EXPECT_EQ(block_ends(units, 20), expected);
}

TEST(Units, LongBlocksAreCutWhereLeastIsStillToBeRead) {
  // Cells that also read the result of the cell before the last, so that no unit is on every path.
  Grower grower;
  ValueId before = grower.input();
  ValueId at = grower.input();
  for (int cell = 0; cell < 6; ++cell) {
    const ValueId next = grower.add({grower.add({at}), grower.add({at}), grower.add({before})});
    before = at;
    at = next;
  }
  const Units units = units_of(task_graph(grower.finish(at)), true);
  std::size_t begin = 0;
  for (std::size_t end : block_ends(units, 10)) {
    EXPECT_LE(end - begin, 10);
    EXPECT_EQ(end % 4, 0) << "a block ends with a cell";
    begin = end;
  }
  EXPECT_EQ(begin, units.size());
}

}  // namespace
}  // namespace braid
