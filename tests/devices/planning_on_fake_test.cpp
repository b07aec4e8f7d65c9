#include <gmock/gmock.h>

#include "ops/testing/random_network.h"
#include "plan/trace_faults.h"
#include "schedule/schedulers.h"
#include "tests/devices/fake_device.h"
#include "tests/devices/planning.h"
#include "tests/devices/subject.h"

/// The way of a model to its Plan under every scheduler, by the fake device's costs.

namespace braid {
namespace {

TEST(PlanningOnFake, EverySchedulerGivesTheNumbersOfEvaluate) {
  const auto device = make_fake_device();
  for (std::uint32_t seed = 3; seed <= 4; ++seed) {
    const Graph graph = random_network(seed, 25);
    const std::vector<Tensor> inputs = other_inputs(seed);
    const std::vector<Tensor> expected = evaluated_outputs(graph, inputs);
    for (const Scheduler& scheduler : schedulers()) {
      SCOPED_TRACE(fmt::format("{}, network {}", scheduler.name, seed));
      const Runnable prepared = prepare(graph, *device, without_clocks(scheduler.name));
      Trace trace;
      EXPECT_TRUE(same_bits(run(prepared, inputs, {.trace = &trace}), expected));
      EXPECT_THAT(trace_faults(prepared.lowered(), prepared.plan, trace), testing::IsEmpty());
      EXPECT_TRUE(same_bits(run(prepared, inputs, {.poison_seed = seed}), expected));
    }
  }
}

TEST(PlanningOnFake, TheSameOptionsGiveTheSamePlan) {
  const auto device = make_fake_device();
  const Graph graph = random_network(5, 25);
  for (const Scheduler& scheduler : schedulers()) {
    const PipelineOptions options = without_clocks(scheduler.name);
    EXPECT_EQ(prepare(graph, *device, options).plan, prepare(graph, *device, options).plan)
        << scheduler.name;
  }
}

TEST(PlanningOnFake, StreamsMakeNetworksFasterByTheDevicesCosts) {
  const auto device = make_fake_device();
  const Graph graph = random_network(4, 25);
  const auto predicted_us = [&](std::string_view scheduler, const Device& on) {
    return predict(prepare(graph, on, without_clocks(scheduler)), on).timeline.end_us;
  };
  const double on_one = predicted_us("sequential", *make_fake_device({.streams = 1}));
  const double in_parts = predicted_us("sequential", *device);
  EXPECT_LT(in_parts, on_one);
  EXPECT_LE(predicted_us("braid", *device), in_parts);
}

TEST(PlanningOnFake, WhoHasTimeToMeasureSearchesLonger) {
  const auto device = make_fake_device();
  PipelineOptions options = without_clocks("braid");
  options.plan.search_steps = 0;
  const auto steps = [&] {
    return prepare(random_network(4, 25), *device, options).search.value_or(SearchReport{}).steps;
  };
  const int quick = steps();
  options.costs.measure = true;
  EXPECT_LT(quick, steps() / 2);
}

TEST(PlanningOnFake, AContestAlsoMeetsOneStream) {
  const auto device = make_fake_device();
  PipelineOptions options = without_clocks("braid");
  options.contest = true;
  const Graph graph = parse(R"(
      x: f32[1,512,2]
      a = Erf(x)
      b = Erf(a)
      c = ReduceMax(x)
      y = Add(b, c))");
  const Runnable prepared = prepare(graph, *device, options);
  EXPECT_THAT(prepared.reason, testing::HasSubstr("sequential on one stream"));
}

TEST(PlanningOnFake, EditsAreObeyed) {
  const auto device = make_fake_device();
  const Graph graph = parse(R"(
      x: f32[8,8]
      a = Softmax(x)
      b = Erf(x)
      y = Add(a, b)
      return y)");
  for (const Scheduler& scheduler : schedulers()) {
    PipelineOptions options = without_clocks(scheduler.name);
    options.plan.edits = "pin a stream 2\nbefore b a\n";
    const Runnable prepared = prepare(graph, *device, options);
    const NodeId pinned = prepared.lowered().value(prepared.lowered().find("a")).producer;
    const auto steps = steps_by_node(prepared.lowered(), prepared.plan);
    for (const StepRef ref : steps[pinned.at()])
      EXPECT_EQ(ref.stream, StreamId(2)) << scheduler.name;
    const Tensor input = Tensor::zeros({ElementType::F32, {8, 8}});
    EXPECT_TRUE(same_bits(run(prepared, {&input, 1}), evaluated_outputs(graph, {input})));
  }
}

TEST(PlanningOnFake, ABudgetOfMemoryHolds) {
  const auto device = make_fake_device();
  const Graph graph = wide_branches();
  std::mt19937 random(1);
  const std::vector<Tensor> inputs = {random_tensor({1, 512, 2}, random)};
  const std::int64_t least = prepare(graph, *device, without_clocks("sequential")).plan.arena_bytes;
  for (const Scheduler& scheduler : schedulers()) {
    SCOPED_TRACE(scheduler.name);
    for (const std::int64_t budget : {least, 2 * least}) {
      PipelineOptions options = without_clocks(scheduler.name);
      options.plan.arena_budget = budget;
      const Runnable prepared = prepare(graph, *device, options);
      EXPECT_LE(prepared.plan.arena_bytes, budget);
      EXPECT_THAT(prepared.reason, testing::HasSubstr(fmt::format("in {} bytes", budget)));
      EXPECT_TRUE(same_bits(run(prepared, inputs), evaluated_outputs(graph, inputs)));
    }
    PipelineOptions options = without_clocks(scheduler.name);
    options.plan.arena_budget = 1;
    EXPECT_THAT(complaint_from([&] { prepare(graph, *device, options); }),
                testing::StartsWith("quota exceeded: "));
  }
}

TEST(PlanningOnFake, BraidTakesLittleMoreMemoryThanOneOperatorAfterAnother) {
  const auto device = make_fake_device();
  const Graph graph = wide_branches();
  const auto arena = [&](std::string_view scheduler) {
    return prepare(graph, *device, without_clocks(scheduler)).plan.arena_bytes;
  };
  EXPECT_GT(arena("nimble"), arena("sequential") * 6 / 5) << "side by side";
  EXPECT_LE(arena("braid"), arena("sequential") * 6 / 5);
}

}  // namespace
}  // namespace braid
