#include "schedule/memory_budget.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/one_stream.h"
#include "plan/verify.h"
#include "schedule/testing/graphs.h"

namespace braid {
namespace {

const DeviceSpec kDevice{.name = "fake", .streams = 4, .launch_us = 0.5, .wait_us = 0.5};

/// Branches side by side that each end in a small part of a sum.
Graph wide_graph() {
  Grower grower;
  ValueId sum = grower.add({grower.input()});
  for (int branch = 0; branch < 12; ++branch) {
    ValueId at = grower.add({grower.input()}, 256);
    at = grower.add({at}, 256);
    sum = grower.add({sum, at});
  }
  return grower.finish(sum);
}

TEST(PlanWithin, FitsAndVerifiesOrSaysWhatWouldFit) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed)
    for (const char* scheduler : {"braid", "opara", "wavefront", "sequential"}) {
      const Graph graph = random_task_graph(seed);
      const RandomCosts costs(seed);
      const BudgetOptions options{.scheduler = scheduler, .schedule = {.search_steps = 20}};
      const std::int64_t most =
          schedule(scheduler, graph, costs, kDevice, options.schedule).arena_bytes;
      for (std::int64_t bytes = most + 64; bytes > 0; bytes -= most / 8) {
        SCOPED_TRACE(fmt::format("{} in {} bytes, seed {}", scheduler, bytes, seed));
        try {
          const Judged found = plan_within(graph, costs, kDevice, options, bytes);
          EXPECT_NO_THROW(verify(graph, found.plan));
          EXPECT_LE(found.plan.arena_bytes, bytes);
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::Quota);
          EXPECT_NE(error.message().find("the least takes"), std::string::npos);
          EXPECT_LT(bytes, one_stream(graph, "fake").arena_bytes);
        }
      }
    }
}

TEST(PlanWithin, WithPlentyItIsTheScheduler) {
  const Graph graph = wide_graph();
  const Judged found = plan_within(graph, EqualCosts(10), kDevice, {.scheduler = "opara"}, 1 << 20);
  EXPECT_EQ(found.plan, opara(graph, EqualCosts(10), kDevice, {}));
  EXPECT_EQ(found.thrift, Thrift::None);
}

TEST(PlanWithin, StaysParallelWhereOneStreamWouldNotBeNeeded) {
  const Graph graph = wide_graph();
  const EqualCosts costs(10);
  const Plan one = one_stream(graph, "fake");
  const Plan wide = opara(graph, costs, kDevice, {});
  ASSERT_GT(wide.arena_bytes, one.arena_bytes * 3 / 2);
  const Judged found =
      plan_within(graph, costs, kDevice, {.scheduler = "opara"}, wide.arena_bytes * 4 / 5);
  EXPECT_LT(found.time_us, simulate_lanes(graph, costs, kDevice, one).end_us * 4 / 5);
}

TEST(PlanWithin, EveryPlanIsAdapted) {
  const Graph graph = wide_graph();
  BudgetOptions options{.scheduler = "opara"};
  options.schedule.adapt = [&](const Plan& plan) {
    Plan named = plan;
    named.scheduler = "adapted";
    return named;
  };
  EXPECT_EQ(plan_within(graph, EqualCosts(10), kDevice, options, 1 << 20).plan.scheduler,
            "adapted");
  for (const Judged& row : trade_offs(graph, EqualCosts(10), kDevice, options))
    EXPECT_EQ(row.plan.scheduler, "adapted");
}

TEST(TradeOffs, MoreMemoryIsFaster) {
  const Graph graph = wide_graph();
  const EqualCosts costs(10);
  const auto rows = trade_offs(graph, costs, kDevice, {.scheduler = "wavefront"});
  ASSERT_GE(rows.size(), 3U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NO_THROW(verify(graph, rows[i].plan));
    EXPECT_DOUBLE_EQ(rows[i].time_us, simulate_lanes(graph, costs, kDevice, rows[i].plan).end_us);
    if (i == 0) continue;
    EXPECT_GT(rows[i].plan.arena_bytes, rows[i - 1].plan.arena_bytes);
    EXPECT_LT(rows[i].time_us, rows[i - 1].time_us);
  }
  EXPECT_LE(rows[0].plan.arena_bytes, one_stream(graph, "fake").arena_bytes);
}

}  // namespace
}  // namespace braid
