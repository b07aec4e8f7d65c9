#include "schedule/schedulers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/happens_before.h"
#include "plan/trace_faults.h"
#include "plan/verify.h"
#include "schedule/lane_simulator.h"
#include "schedule/task_rows.h"
#include "schedule/testing/graphs.h"

namespace braid {
namespace {

TEST(Schedulers, AreFoundByName) {
  for (const Scheduler& scheduler : schedulers()) {
    EXPECT_EQ(scheduler_named(scheduler.name).run, scheduler.run);
    EXPECT_FALSE(scheduler.help.empty());
  }
}

TEST(Schedulers, AnUnknownNameListsTheKnown) {
  try {
    scheduler_named("fastest");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    std::string known;
    for (const Scheduler& scheduler : schedulers())
      known += fmt::format("{}{}", known.empty() ? "" : ", ", scheduler.name);
    EXPECT_EQ(error.message(), "there is no scheduler 'fastest': choose one of " + known);
  }
}

DeviceSpec lanes(int count) {
  return {.name = "fake", .streams = count, .launch_us = 0.5, .wait_us = 0.5};
}

TEST(Schedulers, MakePlansThatVerifyAndTheSameOnesEachTime) {
  const RandomCosts costs(7);
  for (const std::string& name : scheduler_names())
    for (const Shape& shape : shapes())
      for (int streams : {1, 3}) {
        SCOPED_TRACE(fmt::format("{} on {}, {} streams", name, shape.name, streams));
        const Graph graph = shape.make();
        const Plan plan = schedule(name, graph, costs, lanes(streams), {.search_steps = 20});
        EXPECT_NO_THROW(verify(graph, plan));
        EXPECT_THAT(trace_faults(graph, plan, simulate_lanes(graph, costs, lanes(streams), plan)),
                    testing::IsEmpty());
        EXPECT_EQ(plan.scheduler, name);
        EXPECT_EQ(plan.device, "fake");
        EXPECT_LE(plan.streams.size(), streams);
        Plan reduced = plan;
        reduce_waits(graph, reduced);
        EXPECT_EQ(reduced, plan);
        if (streams == 1) continue;
        EXPECT_EQ(schedule(name, graph, costs, lanes(streams), {.search_steps = 20}), plan);
      }
}

TEST(Schedulers, NimbleSyncsAsLittleAsCanBe) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Graph graph = random_task_graph(seed);
    const TaskRows found = task_rows(task_graph(graph));
    const Plan plan = schedule("nimble", graph, RandomCosts(seed), lanes(1000));
    std::size_t waits = 0;
    for (const auto& stream : plan.streams)
      for (const Step& step : stream) waits += step.waits.size();
    EXPECT_EQ(waits, found.syncs) << "seed " << seed;
    EXPECT_EQ(plan.streams.size(), found.streams.size()) << "seed " << seed;
  }
}

TEST(Schedulers, AnUnknownVariantListsTheKnown) {
  const auto message = [](std::string_view name) -> std::string {
    try {
      schedule(name, chain_graph(), FreeOfCharge(), lanes(1));
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_EQ(message("opara:quick"),
            "scheduler opara has no variant 'quick'; it has published, streams-only, order-only");
  EXPECT_EQ(message("sequential:published"),
            "scheduler sequential has no variant 'published'; it has none");
}

TEST(Schedulers, TakeGraphsWhoseNodesCostNothing) {
  for (const Scheduler& scheduler : schedulers())
    for (const Shape& shape : shapes()) {
      SCOPED_TRACE(fmt::format("{} on {}", scheduler.name, shape.name));
      const Graph graph = shape.make();
      EXPECT_NO_THROW(
          verify(graph, scheduler.run(graph, FreeOfCharge(), lanes(4), {.search_steps = 50})));
    }
}

TEST(Schedulers, UseNoMoreStreamsThanTheyMay) {
  const Graph graph = tree_graph();
  for (const Scheduler& scheduler : schedulers()) {
    const Plan plan =
        scheduler.run(graph, RandomCosts(1), lanes(8), {.streams = 2, .search_steps = 20});
    EXPECT_LE(plan.streams.size(), 2) << scheduler.name;
  }
}

TEST(Schedulers, TakeLongAndWideGraphs) {
  Grower grower;
  ValueId at = grower.input();
  for (int cell = 0; cell < 12; ++cell) {
    std::vector<ValueId> ends(cell == 6 ? 120 : 10, at);
    for (ValueId& end : ends) end = grower.add_cuttable({end});
    at = grower.add(ends);
  }
  const Graph graph = grower.finish(at);
  for (const Scheduler& scheduler : schedulers()) {
    const Plan plan = scheduler.run(graph, RandomCosts(1), lanes(2), {.search_steps = 5});
    EXPECT_NO_THROW(verify(graph, plan)) << scheduler.name;
  }
}

TEST(Schedulers, TakeGraphsWithoutNodes) {
  Graph graph;
  graph.add_output(graph.add_input("x", {ElementType::F32, {4}}));
  for (const Scheduler& scheduler : schedulers()) {
    const Plan plan = scheduler.run(graph, EqualCosts(1), lanes(2), {});
    EXPECT_NO_THROW(verify(graph, plan)) << scheduler.name;
  }
}

TEST(Schedulers, SearchesTellHowFarTheyAreAndCanBeStopped) {
  const DeviceSpec device{.name = "cpu", .streams = 2, .wait_us = 1};
  const Graph graph = inception_block();
  for (std::string_view searching : {"ios", "braid"}) {
    int told = 0;
    ScheduleOptions options{.search_steps = 50};
    options.progress = [&](std::string_view, std::int64_t done, std::int64_t total) {
      EXPECT_LE(0, done);
      EXPECT_LE(done, total);
      EXPECT_GT(total, 0);
      ++told;
      return true;
    };
    schedule(searching, graph, EqualCosts(10), device, options);
    EXPECT_GT(told, 0) << searching;
    options.progress = [](std::string_view, std::int64_t, std::int64_t) { return false; };
    EXPECT_THROW(schedule(searching, graph, EqualCosts(10), device, options), Error) << searching;
  }
}

}  // namespace
}  // namespace braid
