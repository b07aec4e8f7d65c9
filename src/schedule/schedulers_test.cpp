#include "schedule/schedulers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/happens_before.h"
#include "plan/verify.h"
#include "schedule/testing.h"

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
    EXPECT_EQ(error.message(),
              "there is no scheduler 'fastest': choose one of sequential, wavefront, "
              "nimble, opara, braid");
  }
}

DeviceSpec lanes(int count) {
  return {.name = "fake", .streams = count, .launch_us = 0.5, .wait_us = 0.5};
}

TEST(Schedulers, MakePlansThatVerifyAndTheSameOnesEachTime) {
  for (const Scheduler& scheduler : schedulers())
    for (const Shape& shape : shapes())
      for (int streams : {1, 2, 4}) {
        SCOPED_TRACE(fmt::format("{} on {}, {} streams", scheduler.name, shape.name, streams));
        const Graph graph = shape.make();
        const RandomCosts costs(7);
        const Plan plan = scheduler.run(graph, costs, lanes(streams), {});
        EXPECT_NO_THROW(verify(graph, plan));
        EXPECT_EQ(plan.scheduler, scheduler.name);
        EXPECT_EQ(plan.device, "fake");
        EXPECT_LE(plan.streams.size(), streams);
        Plan reduced = plan;
        reduce_waits(graph, reduced);
        EXPECT_EQ(reduced, plan);
        EXPECT_EQ(scheduler.run(graph, costs, lanes(streams), {}), plan);
      }
}

TEST(Schedulers, TakeGraphsWhoseNodesCostNothing) {
  for (const Scheduler& scheduler : schedulers())
    for (const Shape& shape : shapes()) {
      SCOPED_TRACE(fmt::format("{} on {}", scheduler.name, shape.name));
      const Graph graph = shape.make();
      EXPECT_NO_THROW(verify(graph, scheduler.run(graph, FreeOfCharge(), lanes(4), {})));
    }
}

TEST(Schedulers, UseNoMoreStreamsThanTheyMay) {
  const Graph graph = tree_graph();
  for (const Scheduler& scheduler : schedulers()) {
    const Plan plan = scheduler.run(graph, RandomCosts(1), lanes(8), {.streams = 2});
    EXPECT_LE(plan.streams.size(), 2) << scheduler.name;
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

}  // namespace
}  // namespace braid
