#include "tests/devices/fake_device.h"

#include <set>

#include <gtest/gtest.h>

#include "ops/builder.h"
#include "ops/call.h"
#include "plan/memory.h"
#include "plan/one_stream.h"
#include "plan/testing/steps.h"
#include "plan/verify.h"
#include "tests/devices/subject.h"

namespace braid {
namespace {

Graph fake_lowered(const Device& device, std::string_view text) {
  return device.lower(parse(text), device.modelled_costs());
}

TEST(FakeDevice, GivesTheNumbersOfEvaluateBitByBit) {
  const auto device = make_fake_device();
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const Subject subject = make_subject(*device, seed);
    const std::vector<Tensor> values = evaluate(subject.graph, subject.inputs);
    for (std::size_t i = 0; i < subject.expected.size(); ++i)
      EXPECT_TRUE(identical(subject.expected[i], values[subject.graph.outputs()[i].value.at()]))
          << "network " << seed << ", output " << i;
  }
}

TEST(FakeDevice, OffersViewsAndCuts) {
  const auto device = make_fake_device();
  const Graph lowered = fake_lowered(*device, R"(
      x: f32[4,6]
      a = Relu(x)
      b = Erf(x)
      c = Concat(a, b) axis=1
      t = Transpose(c)
      y = Softmax(t)
      return y)");
  const auto lowering = [&](std::string_view name) {
    return lowered.node(lowered.value(lowered.find(name)).producer).lowering;
  };
  EXPECT_EQ(lowering("a").cuts, (std::vector<Cut>{{0, 1}, {1, 2}}));
  EXPECT_EQ(lowering("c").implementation, kViewImplementation);
  EXPECT_EQ(lowering("t").implementation, kViewImplementation);
  EXPECT_EQ(lowering("y").implementation, "evaluate");
}

TEST(FakeDevice, ViewsThatContradictOneAnotherAreCopies) {
  const auto device = make_fake_device();
  const Graph lowered = fake_lowered(*device, R"(
      x: f32[4,6]
      a = Relu(x)
      b = Erf(x)
      c = Concat(a, b) axis=1
      d = Concat(b, a) axis=1
      y = Add(c, d)
      return y)");
  EXPECT_TRUE(is_view(lowered.node(lowered.value(lowered.find("c")).producer)));
  EXPECT_FALSE(is_view(lowered.node(lowered.value(lowered.find("d")).producer)));
}

struct TwoSteps {
  std::unique_ptr<Device> device = make_fake_device();
  Graph lowered = fake_lowered(*device, "x: f32[3]\na = Relu(x)\ny = Neg(a)\nreturn y");
  std::vector<Tensor> inputs = {Tensor::of<float>({3}, {1, 2, 3})};
  Tensor right = Tensor::of<float>({3}, {-1, -2, -3});

  Plan plan(std::vector<StepRef> waits) const {
    Plan plan = one_stream(lowered, "fake");
    plan.streams = {{step(lowered, "a")}, {step(lowered, "y", std::move(waits))}};
    return plan;
  }
};

TEST(FakeDevice, ShowsAMissingWaitInSomeOfItsRuns) {
  const TwoSteps two;
  const auto right_runs = [&](const Plan& plan) {
    const auto program = two.device->compile(two.lowered, plan);
    int right = 0;
    for (int i = 0; i < 40; ++i) right += identical(program->run(two.inputs)[0], two.right) ? 1 : 0;
    return right;
  };
  EXPECT_EQ(right_runs(two.plan({{StreamId(0), 0}})), 40);
  const int by_luck = right_runs(two.plan({}));
  EXPECT_GT(by_luck, 0);
  EXPECT_LT(by_luck, 40);
}

TEST(FakeDevice, TakesAsLongAsItsCostsSay) {
  const TwoSteps two;
  const auto program = two.device->compile(two.lowered, one_stream(two.lowered, "fake"));
  double expected_us = 0;
  for (const NodeId id : two.lowered.node_ids())
    expected_us += two.device->modelled_costs().cost(two.lowered, id).time_us;
  for (int i = 0; i < 3; ++i) {
    Trace trace;
    program->run(two.inputs, {.trace = &trace});
    ASSERT_EQ(trace.events.size(), 2U);
    EXPECT_DOUBLE_EQ(trace.events[1].end_us, expected_us);
  }
}

TEST(FakeDevice, TheSameSeedsGiveTheSameRuns) {
  const auto device = make_fake_device({.seed = 5});
  const Subject subject = make_subject(*device, 1);
  const Plan plan = random_plan_for(*device, subject.lowered, 1);
  const auto order = [&](Program& program) {
    Trace trace;
    program.run(subject.inputs, {.trace = &trace});
    std::vector<std::pair<std::int32_t, int>> steps;
    for (const TraceEvent& event : trace.events) steps.emplace_back(event.node, event.part);
    return steps;
  };
  const auto one = device->compile(subject.lowered, plan);
  const auto other = device->compile(subject.lowered, plan);
  std::set<std::vector<std::pair<std::int32_t, int>>> orders;
  for (int i = 0; i < 3; ++i) {
    const auto steps = order(*one);
    EXPECT_EQ(steps, order(*other));
    orders.insert(steps);
  }
  EXPECT_GT(orders.size(), 1U) << "every run takes another order";
}

TEST(FakeDevice, RefusesPlansThatAreNotForIt) {
  const TwoSteps two;
  Plan plan = two.plan({});
  plan.device = "cpu";
  EXPECT_THROW(two.device->compile(two.lowered, plan), Error);
  plan = two.plan({{StreamId(0), 0}});
  EXPECT_THROW(make_fake_device({.streams = 1})->compile(two.lowered, plan), Error);
}

}  // namespace
}  // namespace braid
