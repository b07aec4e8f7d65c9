#include "schedule/bounds.h"

#include <gtest/gtest.h>

#include "schedule/judge.h"
#include "schedule/schedulers.h"
#include "schedule/testing/graphs.h"

namespace braid {
namespace {

TEST(Bounds, AreThePathTheWorkAndTheBytes) {
  const Graph graph = diamond_graph();
  const Bounds two = lane_bounds(graph, EqualCosts(10, 0.5), {.name = "cpu", .streams = 2});
  EXPECT_DOUBLE_EQ(two.critical_path_us, 30);
  EXPECT_DOUBLE_EQ(two.work_us, 20);
  EXPECT_DOUBLE_EQ(two.bandwidth_us, 20);
  EXPECT_EQ(two.critical_path.size(), 3U);
  EXPECT_DOUBLE_EQ(two.time_us(), 30);
  const Bounds one = lane_bounds(graph, EqualCosts(10), {.name = "cpu", .streams = 1});
  EXPECT_DOUBLE_EQ(one.work_us, 40);
}

TEST(Bounds, WhatPassesBetweenTwoTasksIsPartOfThePath) {
  const TaskGraph tasks = task_graph(chain_graph(3));
  const std::vector<PathRow> path = longest_path(tasks, std::vector<double>{5, 0, 5}, 1);
  EXPECT_DOUBLE_EQ(path_us(path), 11) << "nothing is between a task and one that does nothing";
}

TEST(Bounds, NoSchedulerBeatsThemOnLanes) {
  for (const Shape& shape : shapes()) {
    const Graph graph = shape.make();
    const DeviceSpec device{.name = "cpu", .streams = 3};
    const RandomCosts costs(7);
    const auto judge = lane_judge(graph, costs, device);
    for (const Scheduler& scheduler : schedulers())
      EXPECT_GE(
          judge->predict(scheduler.run(graph, costs, device, {.search_steps = 20})).timeline.end_us,
          judge->bounds().time_us() * (1 - 1e-9))
          << scheduler.name << " on " << shape.name;
  }
}

}  // namespace
}  // namespace braid
