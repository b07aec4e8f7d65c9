#include <fmt/format.h>
#include <gtest/gtest.h>

#include "plan/constraints.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"
#include "schedule/testing/graphs.h"

namespace braid {
namespace {

TEST(Braid, IsNeverBehindSequentialUnderItsJudge) {
  for (const Shape& shape : shapes())
    for (int streams : {1, 2, 4}) {
      SCOPED_TRACE(fmt::format("{}, {} streams", shape.name, streams));
      const Graph graph = shape.make();
      const DeviceSpec device{.name = "cpu", .streams = streams, .wait_us = 0.5};
      const RandomCosts costs(11);
      const auto time_us = [&](const Plan& plan) {
        return simulate_lanes(graph, costs, device, plan).end_us;
      };
      EXPECT_LE(time_us(braid_search(graph, costs, device, {.search_steps = 100})),
                time_us(sequential(graph, costs, device, {})));
    }
}

TEST(Braid, RunsBranchesBesideOneAnotherRatherThanCut) {
  Grower grower;
  const ValueId a = grower.add_cuttable({grower.input()});
  const ValueId b = grower.add_cuttable({grower.input()});
  const Graph graph = grower.finish(grower.add({a, b}));
  const DeviceSpec device{.name = "cpu", .streams = 2, .wait_us = 1};
  const Plan plan = braid_search(graph, EqualCosts(100), device, {});
  ASSERT_EQ(plan.streams.size(), 2);
  for (const auto& stream : plan.streams)
    for (const Step& step : stream) EXPECT_EQ(step.parts, 1);
}

TEST(Braid, CutsWhatHasNothingBesideIt) {
  Grower grower;
  ValueId at = grower.input();
  for (int i = 0; i < 4; ++i) at = grower.add_cuttable({at});
  const Graph graph = grower.finish(at);
  const DeviceSpec device{.name = "cpu", .streams = 2, .wait_us = 1};
  const Plan plan = braid_search(graph, EqualCosts(100), device, {});
  ASSERT_EQ(plan.streams.size(), 2);
  for (const Step& step : plan.streams[0]) EXPECT_EQ(step.parts, 2);
}

TEST(Braid, TakesOneStreamWhereWaitsCostMoreThanTheySave) {
  const Graph graph = inception_block();
  const DeviceSpec device{.name = "cpu", .streams = 4, .wait_us = 1000};
  EXPECT_EQ(braid_search(graph, EqualCosts(10), device, {}).streams.size(), 1);
}

TEST(Braid, OneStreamIsAlwaysAmongTheCandidates) {
  for (const Shape& shape : shapes())
    for (const bool quick : {false, true}) {
      bool met = false;
      ScheduleOptions options{.search_steps = 1, .quick = quick};
      options.candidate = [&](const Plan& plan) { met = met || plan.streams.size() == 1; };
      braid_search(shape.make(), RandomCosts(3), {.name = "cpu", .streams = 3}, options);
      EXPECT_TRUE(met) << shape.name;
    }
}

TEST(Braid, AQuickSearchIsShortAndNoWorseThanSequential) {
  for (const Shape& shape : shapes()) {
    const Graph graph = shape.make();
    const DeviceSpec device{.name = "cpu", .streams = 2, .wait_us = 0.5};
    const RandomCosts costs(19);
    const auto time_us = [&](const Plan& plan) {
      return simulate_lanes(graph, costs, device, plan).end_us;
    };
    int steps = 0;
    ScheduleOptions options{.quick = true};
    options.searched = [&](const SearchReport& search) { steps += search.steps; };
    options.candidate = [](const Plan& plan) {
      EXPECT_TRUE(plan.scheduler == "braid" || plan.scheduler == "sequential") << plan.scheduler;
    };
    EXPECT_LE(time_us(braid_search(graph, costs, device, options)),
              time_us(sequential(graph, costs, device, {})))
        << shape.name;
    EXPECT_LE(static_cast<std::size_t>(steps) * graph.node_count(), 20'000) << shape.name;
  }
}

TEST(Braid, TakesTheJudgeThatItIsGiven) {
  const Graph graph = inception_block();
  const DeviceSpec device{.name = "cpu", .streams = 4};
  ScheduleOptions options;
  options.evaluate = [](const Plan& plan, double) {
    return static_cast<double>(plan.streams.size());
  };
  EXPECT_EQ(braid_search(graph, EqualCosts(10, 1), device, options).streams.size(), 1);
}

TEST(Braid, IsNeverBehindAnyOtherRowUnderItsJudge) {
  const DeviceSpec device{.name = "cpu", .streams = 3, .wait_us = 0.5};
  for (const Shape& shape : shapes()) {
    const Graph graph = shape.make();
    const RandomCosts costs(13);
    const auto time_us = [&](const Plan& plan) {
      return simulate_lanes(graph, costs, device, plan).end_us;
    };
    const double ours = time_us(braid_search(graph, costs, device, {.search_steps = 10}));
    for (const Scheduler& other : schedulers())
      EXPECT_LE(ours, time_us(other.run(graph, costs, device, {.search_steps = 10})))
          << other.name << " on " << shape.name;
  }
}

TEST(Braid, FindsNoWorsePlansTheLongerItSearches) {
  const Graph graph = random_task_graph(4);
  const DeviceSpec device{.name = "cpu", .streams = 2, .wait_us = 0.5};
  const RandomCosts costs(17);
  double before = 1e300;
  for (int steps : {1, 10, 100, 400}) {
    const Plan plan = braid_search(graph, costs, device, {.search_steps = steps});
    const double time_us = simulate_lanes(graph, costs, device, plan).end_us;
    EXPECT_LE(time_us, before + 1e-9);
    before = time_us;
  }
}

TEST(Braid, SearchesTheLaunchOrderUnderAJudgeOfItsOwn) {
  // A judge that wants the node of greatest id among the leaves to be launched first.
  const Graph graph = tree_graph();
  const DeviceSpec device{.name = "sim", .streams = 16, .launches = true};
  ScheduleOptions options;
  options.search_steps = 4000;
  options.evaluate = [&](const Plan& plan, double) {
    for (const auto& stream : plan.streams)
      for (const Step& step : stream)
        if (step.node == NodeId(15)) return static_cast<double>(step.launch);
    return 1e9;
  };
  EXPECT_EQ(options.evaluate(braid_search(graph, EqualCosts(10), device, options), kNeverGiveUp),
            0);
}

TEST(Braid, TellsOfTheOtherRowsAndOfWhatItFound) {
  const Graph graph = inception_block();
  const DeviceSpec device{.name = "sim", .streams = 4, .launches = true};
  std::vector<std::string> told;
  ScheduleOptions options;
  options.search_steps = 10;
  options.evaluate = [](const Plan&, double) { return 1.0; };
  options.candidate = [&](const Plan& plan) {
    verify(graph, plan);
    told.push_back(plan.scheduler);
  };
  braid_search(graph, EqualCosts(10), device, options);
  std::vector<std::string> rows;
  for (const Scheduler& row : schedulers()) rows.emplace_back(row.name);
  EXPECT_EQ(told, rows);
}

TEST(Braid, PlansAroundEdits) {
  const Graph graph = inception_block();
  const DeviceSpec device{.name = "cpu", .streams = 3, .wait_us = 0.5};
  const RandomCosts costs(5);
  const auto name = [&](int node) { return graph.value(graph.node(NodeId(node)).outputs[0]).name; };
  const auto edits = parse_edits(fmt::format("never-parallel {} *\npin {} stream 2\nbefore {} {}",
                                             name(1), name(4), name(7), name(2)));
  const auto constraints = constraints_of(graph, NodeNames(graph), edits, 3);
  const auto edited = [&](const Plan& plan) { return obeying(graph, plan, constraints); };
  const auto time_us = [&](const Plan& plan) {
    return simulate_lanes(graph, costs, device, plan).end_us;
  };
  ScheduleOptions options;
  options.search_steps = 300;
  const Plan blind = edited(braid_search(graph, costs, device, options));
  options.adapt = edited;
  const Plan aware = braid_search(graph, costs, device, options);
  verify(graph, aware);
  EXPECT_EQ(edited(aware), aware) << "it obeys";
  EXPECT_LT(time_us(aware), time_us(blind));
}

}  // namespace
}  // namespace braid
