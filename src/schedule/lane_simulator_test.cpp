#include "schedule/lane_simulator.h"

#include <gtest/gtest.h>

#include "cost/graph_cost.h"
#include "schedule/schedulers.h"
#include "schedule/testing/graphs.h"

namespace braid {
namespace {

/// Two nodes that read the input and one that reads both, on the streams named.
Plan two_and_one(const Graph& graph, int first, int second, int last) {
  Arrangement arrangement(2);
  int task = 0;
  for (int stream : {first, second, last})
    arrangement[static_cast<std::size_t>(stream)].push_back({task++});
  return assemble(graph, {.name = "cpu"}, "by hand", task_graph(graph), arrangement);
}

Graph vee() {
  Grower grower;
  const ValueId a = grower.add({grower.input()});
  const ValueId b = grower.add({grower.input()});
  return grower.finish(grower.add({a, b}));
}

TEST(LaneSimulator, RunsStreamsBesideOneAnother) {
  const Graph graph = vee();
  const DeviceSpec device{.name = "cpu", .streams = 2, .wait_us = 3};
  const auto end = [&](int a, int b, int c) {
    return simulate_lanes(graph, EqualCosts(10), device, two_and_one(graph, a, b, c)).end_us;
  };
  EXPECT_DOUBLE_EQ(end(0, 0, 0), 30);
  EXPECT_DOUBLE_EQ(end(0, 1, 0), 23);
  EXPECT_DOUBLE_EQ(end(0, 0, 1), 33);
}

TEST(LaneSimulator, SlowsDownWhatWantsMoreThanTheBandwidth) {
  const Graph graph = vee();
  const DeviceSpec device{.name = "cpu", .streams = 2};
  const Plan plan = two_and_one(graph, 0, 1, 0);
  EXPECT_DOUBLE_EQ(simulate_lanes(graph, EqualCosts(10, 0.5), device, plan).end_us, 20);
  const Timeline timeline = simulate_lanes(graph, EqualCosts(10, 0.75), device, plan);
  EXPECT_DOUBLE_EQ(timeline.streams[0][0].end_us, 15);
  EXPECT_DOUBLE_EQ(timeline.streams[1][0].end_us, 15);
  EXPECT_DOUBLE_EQ(timeline.end_us, 25);
}

TEST(LaneSimulator, TheTimeOfAPlanLiesBetweenCriticalPathAndSum) {
  for (const Shape& shape : shapes()) {
    const Graph graph = shape.make();
    for (const Scheduler& scheduler : schedulers()) {
      SCOPED_TRACE(std::string(scheduler.name) + " on " + shape.name);
      const DeviceSpec device{.name = "cpu", .streams = 1};
      const RandomCosts costs(3);
      const Plan plan = scheduler.run(graph, costs, device, {.search_steps = 20});
      const double time_us = simulate_lanes(graph, costs, device, plan).end_us;
      EXPECT_GE(time_us, critical_path(graph, costs).time_us - 1e-6);
      EXPECT_NEAR(time_us, sum_us(graph, costs), 1e-6);
    }
  }
}

TEST(LaneSimulator, JudgesALayoutAsThePlanMadeOfIt) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const Graph graph = shape.make();
    const DeviceSpec device{.name = "cpu", .streams = 2, .wait_us = 2};
    const RandomCosts costs(5);
    const TaskGraph tasks = task_graph(graph);
    const PartCosts parts(graph, costs, tasks, 2);
    Arrangement arrangement(2);
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      const auto t = static_cast<Task>(task);
      const int count = parts.fastest(t).parts;
      for (int part = 0; part < count; ++part)
        arrangement[(task / 3 + static_cast<std::size_t>(part)) % 2].push_back({t, part, count});
    }
    const Plan plan = assemble(graph, device, "by hand", tasks, arrangement);
    EXPECT_NEAR(simulate_us(tasks, parts, device, arrangement),
                simulate_lanes(graph, costs, device, plan).end_us, 1e-6);
  }
}

}  // namespace
}  // namespace braid
