#include "schedule/opara.h"

#include <gtest/gtest.h>

#include "plan/launch_order.h"
#include "schedule/schedulers.h"
#include "schedule/testing/graphs.h"

namespace braid {
namespace {

/// Tasks that are all ready at once.
TaskGraph independent(std::size_t count) {
  TaskGraph tasks;
  tasks.nodes.resize(count);
  tasks.before.resize(count);
  tasks.after.resize(count);
  tasks.views.resize(count);
  return tasks;
}

Demand arithmetic(double fills) { return {false, fills, 0}; }
Demand memory(double fills) { return {true, fills, 0}; }

TEST(OparaOrder, AlternatesBetweenKindsAndTakesTheLeastDemandFirst) {
  const std::vector<Demand> demands = {memory(3), memory(1), arithmetic(2), arithmetic(1)};
  const std::vector<Task> expected = {3, 1, 2, 0};
  EXPECT_EQ(opara_order(independent(4), demands, false, std::vector<bool>(4, true)), expected);
}

TEST(OparaOrder, EqualDemandsGoInTheOrderOfArrival) {
  const std::vector<Demand> demands(3, arithmetic(1));
  const std::vector<Task> expected = {0, 1, 2};
  EXPECT_EQ(opara_order(independent(3), demands, false, std::vector<bool>(3, true)), expected);
}

/// Two tasks of arithmetic in a row, then one of arithmetic and one of memory: after two steps
/// without a choice the published turn is back at arithmetic; ours serves memory, since arithmetic
/// was served last.
TEST(OparaOrder, ThePublishedTurnChangesEvenWithoutAChoice) {
  TaskGraph tasks = independent(4);
  const auto edge = [&](Task from, Task to) {
    tasks.after[static_cast<std::size_t>(from)].push_back(to);
    tasks.before[static_cast<std::size_t>(to)].push_back(from);
  };
  edge(0, 1);
  edge(1, 2);
  edge(1, 3);
  const std::vector<Demand> demands = {arithmetic(1), arithmetic(1), arithmetic(1), memory(1)};
  const std::vector<bool> kernels(4, true);
  const std::vector<Task> published = {0, 1, 2, 3};
  const std::vector<Task> ours = {0, 1, 3, 2};
  EXPECT_EQ(opara_order(tasks, demands, true, kernels), published);
  EXPECT_EQ(opara_order(tasks, demands, false, kernels), ours);
}

TEST(OparaOrder, WhatHasNoKernelComesLast) {
  const std::vector<Demand> demands = {arithmetic(0), arithmetic(5)};
  const std::vector<Task> expected = {1, 0};
  EXPECT_EQ(opara_order(independent(2), demands, true, {false, true}), expected);
}

TEST(Opara, LaunchesInItsOrder) {
  const Graph graph = tree_graph();
  const DeviceSpec device{.name = "sim", .streams = 32};
  const Plan plan = opara(graph, RandomCosts(2), device, {});
  std::int32_t last = -1;
  for (StepRef ref : launch_order(plan)) {
    EXPECT_EQ(step_at(plan, ref).launch, last + 1);
    last = step_at(plan, ref).launch;
  }
}

/// Both readers of a view take over streams of what it joins, or only one does.
TEST(Opara, AViewTakesOverAStreamOnAGpuOnly) {
  Grower grower;
  const ValueId joined =
      grower.add_joining_view({grower.add({grower.input()}), grower.add({grower.input()})});
  const Graph graph = grower.finish(grower.add({grower.add({joined}), grower.add({joined})}));
  const DeviceSpec lanes{.name = "lanes", .streams = 32};
  const DeviceSpec gpu{.name = "sim", .streams = 32, .launches = true};
  EXPECT_EQ(opara(graph, RandomCosts(2), lanes, {}).streams.size(), 2);
  EXPECT_EQ(opara(graph, RandomCosts(2), gpu, {}).streams.size(), 3);
  EXPECT_EQ(schedule("opara:order-only", graph, RandomCosts(2), gpu).streams.size(), 2);
}

TEST(Opara, AsPublishedGivesStreamsOutInTurn) {
  const Graph graph = inception_block();
  const DeviceSpec device{.name = "sim", .streams = 2};
  const TaskGraph tasks = task_graph(graph, Views::AsTasks);
  const Plan plan = schedule("opara:published", graph, RandomCosts(2), device);
  std::vector<Task> order;
  for (StepRef ref : launch_order(plan)) order.push_back(step_at(plan, ref).node.index);
  const auto rows = opara_streams(tasks, order);
  ASSERT_GT(rows.size(), 2);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (Task task : rows[row])
      for (const Step& step : plan.streams[1 - row % 2]) EXPECT_NE(step.node.index, task);
}

TEST(Opara, OrderAndStreamsCanBeTakenApart) {
  const Graph graph = inception_block();
  const DeviceSpec device{.name = "sim", .streams = 32};
  const auto by = [&](std::string_view name) {
    return schedule(name, graph, RandomCosts(2), device);
  };
  for (StepRef ref : launch_order(by("opara:streams-only")))
    EXPECT_EQ(step_at(by("opara:streams-only"), ref).launch,
              step_at(by("opara:streams-only"), ref).node.index);
  EXPECT_EQ(by("opara:order-only").streams.size(), by("nimble").streams.size());
}

TEST(Demand, IsOfMemoryWhereBandwidthIsTheGreaterShare) {
  Grower grower;
  const Graph graph = grower.finish(grower.add({grower.input()}));
  const NodeId node = graph.node_ids()[0];
  EXPECT_TRUE(demand_of(graph, node, {1, 0.2, 0.3}).memory_bound);
  EXPECT_FALSE(demand_of(graph, node, {1, 0.3, 0.2}).memory_bound);
}

TEST(Demand, CountsTheGrid) {
  Grower grower;
  const Graph graph = grower.finish(grower.add({grower.input()}));
  Cost cost;
  cost.launch = {.blocks = 64, .threads = 256, .registers = 32, .shared_bytes = 0};
  EXPECT_DOUBLE_EQ(demand_of(graph, graph.node_ids()[0], cost).fills, 8);
}

}  // namespace
}  // namespace braid
