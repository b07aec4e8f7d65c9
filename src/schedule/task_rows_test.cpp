#include "schedule/task_rows.h"

#include <gtest/gtest.h>

#include "graph/width.h"
#include "rewrite/canonicalise.h"
#include "schedule/closure.h"
#include "schedule/opara.h"
#include "schedule/testing/graphs.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

/// Tasks 0, 1, … with the edges given.
TaskGraph tasks_with(std::size_t count, const std::vector<std::pair<Task, Task>>& edges) {
  TaskGraph tasks;
  tasks.nodes.resize(count);
  tasks.before.resize(count);
  tasks.after.resize(count);
  tasks.views.resize(count);
  for (const auto& [from, to] : edges) {
    tasks.after[static_cast<std::size_t>(from)].push_back(to);
    tasks.before[static_cast<std::size_t>(to)].push_back(from);
  }
  return tasks;
}

std::size_t opara_syncs(const TaskGraph& tasks, const std::vector<std::vector<Task>>& rows) {
  std::vector<std::size_t> row_of(tasks.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (Task task : rows[row]) row_of[static_cast<std::size_t>(task)] = row;
  std::size_t syncs = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    for (Task before : tasks.before[i])
      syncs += row_of[i] != row_of[static_cast<std::size_t>(before)] ? 1 : 0;
  return syncs;
}

std::vector<Task> in_order(const TaskGraph& tasks) {
  std::vector<Task> order;
  for (std::size_t i = 0; i < tasks.size(); ++i) order.push_back(static_cast<Task>(i));
  return order;
}

TEST(TransitiveReduction, DropsWhatOtherPathsImply) {
  const TaskGraph tasks = tasks_with(4, {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {0, 3}});
  const std::vector<std::vector<Task>> expected = {{1}, {2}, {3}, {}};
  EXPECT_EQ(transitive_reduction(tasks), expected);
}

TEST(TransitiveReduction, IsTheSameForGraphsOfManyColumns) {
  // A ladder of 5000 tasks, each with an edge to the next and to the one after.
  std::vector<std::pair<Task, Task>> edges;
  constexpr Task count = 5000;
  for (Task i = 0; i + 1 < count; ++i) edges.emplace_back(i, i + 1);
  for (Task i = 0; i + 2 < count; ++i) edges.emplace_back(i, i + 2);
  const auto reduced = transitive_reduction(tasks_with(count, edges));
  for (Task i = 0; i + 1 < count; ++i)
    ASSERT_EQ(reduced[static_cast<std::size_t>(i)], std::vector<Task>{i + 1});
}

TEST(TransitiveReduction, KeepsTheClosure) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const TaskGraph tasks = task_graph(random_task_graph(seed));
    const Closure closure(tasks);
    TaskGraph reduced = tasks;
    reduced.after = transitive_reduction(tasks);
    const Closure same(reduced);
    for (std::size_t i = 0; i < tasks.size(); ++i)
      EXPECT_EQ(same.descendants(static_cast<Task>(i)), closure.descendants(static_cast<Task>(i)));
  }
}

TEST(TaskRows, TwoProducersOneOfThemShared) {
  // u → {a, b}, w → a
  const TaskGraph tasks = tasks_with(4, {{0, 2}, {0, 3}, {1, 2}});
  const TaskRows found = task_rows(tasks);
  EXPECT_EQ(found.rows.size(), 2);
  EXPECT_EQ(found.syncs, 1);
  EXPECT_EQ(found.streams.size(), 2);
  const auto rows = opara_streams(tasks, in_order(tasks));
  EXPECT_EQ(rows.size(), 3);
  EXPECT_EQ(opara_syncs(tasks, rows), 2);
}

TEST(TaskRows, ARedundantEdgeCostsNothing) {
  const TaskGraph tasks = tasks_with(3, {{0, 1}, {0, 2}, {1, 2}});
  const TaskRows found = task_rows(tasks);
  EXPECT_EQ(found.rows.size(), 1);
  EXPECT_EQ(found.syncs, 0);
  EXPECT_EQ(opara_streams(tasks, in_order(tasks)).size(), 1);
}

struct Expected {
  std::size_t chains;
  std::size_t syncs;
  std::size_t streams;
};

void expect_zoo(const char* model, const Expected& expected) {
  SCOPED_TRACE(model);
  const Graph graph = canonicalise(zoo::build(model, {})).graph;
  const TaskGraph tasks = task_graph(graph);
  const TaskRows found = task_rows(tasks);
  EXPECT_EQ(found.rows.size(), expected.chains);
  EXPECT_EQ(found.syncs, expected.syncs);
  EXPECT_EQ(found.streams.size(), expected.streams);
  EXPECT_EQ(width(graph, [](const Node&) { return true; }), expected.streams);
  const auto rows = opara_streams(tasks, in_order(tasks));
  EXPECT_EQ(rows.size(), expected.chains);
  EXPECT_EQ(opara_syncs(tasks, rows), expected.syncs);
}

TEST(TaskRows, OfGoogLeNetAndInceptionAreAsPublished) {
  expect_zoo("googlenet", {28, 54, 4});
  expect_zoo("inception-v3", {36, 70, 6});
}

TEST(TaskRows, OnRandomGraphsStreamsAreSafeAndNoFewerThanTheWidth) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = random_task_graph(seed);
    const TaskGraph tasks = task_graph(graph);
    const Closure closure(tasks);
    const TaskRows found = task_rows(tasks);
    std::size_t reduced = 0;
    std::size_t within = 0;
    for (const auto& after : transitive_reduction(tasks)) reduced += after.size();
    for (const auto& row : found.rows) within += row.size() - 1;
    EXPECT_EQ(found.syncs, reduced - within);
    for (const auto& row : stream_rows(found))
      for (std::size_t i = 1; i < row.size(); ++i) EXPECT_TRUE(closure.reaches(row[i - 1], row[i]));
    EXPECT_GE(found.streams.size(), width(graph, [](const Node& node) { return !is_view(node); }));
  }
}

TEST(TaskRows, TheHeaviestHaveNoMoreSyncs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TaskGraph tasks = task_graph(random_task_graph(seed));
    const auto weight = [](Task from, Task to) {
      return static_cast<double>((from * 7 + to) % 11);
    };
    const auto sum = [&](const TaskRows& found) {
      double total = 0;
      for (const auto& row : found.rows)
        for (std::size_t i = 1; i < row.size(); ++i) total += weight(row[i - 1], row[i]);
      return total;
    };
    const TaskRows plain = task_rows(tasks);
    const TaskRows heavy = task_rows(tasks, weight);
    EXPECT_EQ(heavy.syncs, plain.syncs);
    EXPECT_GE(sum(heavy), sum(plain));
  }
}

}  // namespace
}  // namespace braid
