#include "plan/thrift.h"

#include <random>

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/text.h"
#include "plan/happens_before.h"
#include "plan/memory.h"
#include "plan/testing/random_plan.h"
#include "plan/verify.h"

namespace braid {
namespace {

/// A timeline in which steps begin as soon as they may; a seed decides how long each takes, often
/// no time at all.
Timeline random_timeline(const Graph& graph, const Plan& plan, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Timeline timeline;
  for (const auto& stream : plan.streams) timeline.streams.emplace_back(stream.size());
  const HappensBefore order(graph, plan);
  for (StepRef ref : order.order()) {
    double begin = 0;
    for (StepRef wait : step_at(plan, ref).waits) begin = std::max(begin, timeline.at(wait).end_us);
    if (ref.index > 0) begin = std::max(begin, timeline.at({ref.stream, ref.index - 1}).end_us);
    const double end = begin + (engine() % 3 == 0 ? 0 : static_cast<double>(engine() % 100));
    timeline.streams[ref.stream.at()][static_cast<std::size_t>(ref.index)] = {begin, end};
    timeline.end_us = std::max(timeline.end_us, end);
  }
  return timeline;
}

/// Branches of `length` nodes side by side, some of which may be cut.
Graph branches(int count, int length) {
  std::string text = "x: f32[64]\n";
  std::string ends;
  for (int b = 0; b < count; ++b) {
    for (int i = 0; i < length; ++i)
      text += "n" + std::to_string(b) + "_" + std::to_string(i) + ": f32[64] = Relu(" +
              (i == 0 ? "x" : "n" + std::to_string(b) + "_" + std::to_string(i - 1)) +
              ") <k scratch=" + std::to_string(64 * ((b + i) % 3)) + " cut=0/16>\n";
    ends += (b == 0 ? "" : ", ") + ("n" + std::to_string(b) + "_" + std::to_string(length - 1));
  }
  return parse_graph(text + "y: f32[64] = Sum(" + ends + ") <k>", {});
}

TEST(PlaceByTime, OnlyAddsWaitsAndVerifies) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = branches(2 + static_cast<int>(seed % 5), 1 + static_cast<int>(seed % 4));
    const Plan plan = random_plan(graph, seed);
    Plan thrifty = plan;
    place_by_time(graph, thrifty, random_timeline(graph, plan, seed));
    ASSERT_NO_THROW(verify(graph, thrifty));
    EXPECT_LE(thrifty.arena_bytes, plan.arena_bytes * 5 / 4);
    const HappensBefore before(graph, plan);
    const HappensBefore after(graph, thrifty);
    for (StepRef a : before.order())
      for (StepRef b : before.order()) EXPECT_TRUE(!before.before(a, b) || after.before(a, b));
  }
}

/// Two branches on two streams; the second begins when the first has ended.
TEST(PlaceByTime, WhatNeverMeetsSharesBytes) {
  const Graph graph = parse_graph(R"(
      x: f32[64]
      a: f32[64] = Relu(x) <k>
      b: f32[1] = Sum(a) <k>
      c: f32[64] = Neg(x) <k>
      d: f32[1] = Sum(c) <k>
      y: f32[1] = Add(b, d) <k>)",
                                  {});
  const auto step = [&](std::string_view output) {
    Step made;
    made.node = graph.value(graph.find(output)).producer;
    return made;
  };
  Plan plan;
  plan.graph = hash(graph, HashWeights::TypesOnly);
  plan.streams = {{step("a"), step("b"), step("y")}, {step("c"), step("d")}};
  add_data_waits(graph, plan);
  place(graph, plan);
  EXPECT_EQ(plan.arena_bytes, 256 + 256 + 64 + 64);
  Timeline timeline{{{{0, 10}, {10, 20}, {40, 50}}, {{20, 30}, {30, 40}}}, 50};
  place_by_time(graph, plan, timeline);
  EXPECT_EQ(plan.arena_bytes, 256 + 64 + 64);
  EXPECT_EQ(plan.streams[1][0].waits, (std::vector<StepRef>{{StreamId(0), 1}}));
  EXPECT_NO_THROW(verify(graph, plan));
}

TEST(Throttled, StepsBeginOnlyWhileMemoryAllows) {
  const Graph graph = branches(4, 2);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Plan plan = random_plan(graph, seed, {.streams = 4});
    const Timeline timeline = random_timeline(graph, plan, seed);
    const std::int64_t plenty = 1 << 20;
    EXPECT_DOUBLE_EQ(throttled(graph, plan, timeline, plenty)->end_us, timeline.end_us);
    EXPECT_FALSE(throttled(graph, plan, timeline, 64).has_value());
    for (std::int64_t bytes = plan.arena_bytes; bytes > 256; bytes -= 256) {
      const auto slower = throttled(graph, plan, timeline, bytes);
      if (!slower) break;
      EXPECT_GE(slower->end_us, timeline.end_us - 1e-9);
      Plan thrifty = plan;
      place_by_time(graph, thrifty, *slower);
      ASSERT_NO_THROW(verify(graph, thrifty));
      EXPECT_LE(thrifty.arena_bytes, bytes * 3 / 2);
    }
  }
}

}  // namespace
}  // namespace braid
