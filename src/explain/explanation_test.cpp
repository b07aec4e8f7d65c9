#include "explain/explanation.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/text.h"
#include "plan/happens_before.h"
#include "plan/memory.h"
#include "plan/thrift.h"
#include "plan/trace_faults.h"
#include "plan/waits.h"
#include "schedule/lane_simulator.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

/// Costs by the name of a node's first output; 10 us for all others.
class NamedCosts : public CostModel {
 public:
  explicit NamedCosts(std::map<std::string, Cost> costs = {}) : costs_(std::move(costs)) {}
  Cost cost(const Graph& graph, NodeId node, int parts) const override {
    const auto found = costs_.find(graph.value(graph.node(node).outputs[0]).name);
    Cost cost = found == costs_.end() ? Cost{.time_us = 10} : found->second;
    if (is_view(graph.node(node))) return {};
    cost.time_us /= parts;
    return cost;
  }

 private:
  std::map<std::string, Cost> costs_;
};

class ExplainTest : public testing::Test {
 protected:
  // a → b → e, a → c → d → e, and f beside them all
  Graph graph = parse_graph(R"(
      x: f32[64]
      a: f32[64] = Relu(x) <k>
      b: f32[64] = Neg(a) <k>
      c: f32[64] = Relu(a) <k>
      d: f32[64] = Neg(c) <k>
      f: f32[64] = Exp(x) <k>
      e: f32[64] = Sum(b, d, f) <k>)",
                            {});
  DeviceSpec device{.name = "fake", .streams = 2, .launch_us = 0.1, .wait_us = 1};
  std::vector<Constraint> constraints;
  bool thrifty = false;

  NodeId node(std::string_view output) const { return graph.value(graph.find(output)).producer; }
  Step step(std::string_view output) const {
    Step step;
    step.node = node(output);
    return step;
  }
  Plan plan_of(const std::vector<std::vector<std::string>>& streams) const {
    Plan plan;
    plan.graph = hash(graph, HashWeights::TypesOnly);
    plan.scheduler = "by hand";
    for (const auto& stream : streams) {
      auto& steps = plan.streams.emplace_back();
      for (const std::string& output : stream) steps.push_back(step(output));
    }
    add_data_waits(graph, plan);
    reduce_waits(graph, plan);
    place(graph, plan);
    return plan;
  }
  Pair pair(const Plan& plan, std::string_view a, std::string_view b,
            const CostModel& costs = NamedCosts()) const {
    const Timeline timeline = simulate_lanes(graph, costs, device, plan);
    const Subject subject{graph, plan, timeline, costs, device, {}, constraints, nullptr, thrifty};
    return Pairs(subject).explain(node(a), node(b));
  }
};

TEST_F(ExplainTest, OperatorsThatNeedOneAnotherComeWithThePath) {
  const Plan plan = plan_of({{"a", "b", "f", "e"}, {"c", "d"}});
  const Pair found = pair(plan, "e", "a");
  EXPECT_EQ(found.reason, Reason::Dependency);
  EXPECT_EQ(found.path, (std::vector{node("a"), node("b"), node("e")}));
  EXPECT_EQ(found.gain_us, 0);
  EXPECT_EQ(found.text, "'e' (Sum) needs 'a' (Relu), by way of 1 operators between them");
}

TEST_F(ExplainTest, OperatorsThatOverlapAreSaidToDoSo) {
  const Plan plan = plan_of({{"a", "b", "f", "e"}, {"c", "d"}});
  const Pair found = pair(plan, "b", "c");
  EXPECT_EQ(found.reason, Reason::Overlap);
  EXPECT_DOUBLE_EQ(found.overlap_us, 9) << "c begins 1 us later, because it waits for a";
}

TEST_F(ExplainTest, AFullMemoryOrDeviceIsNamed) {
  const Plan plan = plan_of({{"a", "b", "c", "d", "f", "e"}});
  const NamedCosts memory({{"b", {.time_us = 10, .bandwidth_share = 0.95}},
                           {"c", {.time_us = 10, .bandwidth_share = 1}}});
  EXPECT_EQ(pair(plan, "b", "c", memory).reason, Reason::Bandwidth);
  const NamedCosts arithmetic(
      {{"b", {.time_us = 10, .compute_share = 0.95}}, {"c", {.time_us = 10, .compute_share = 1}}});
  EXPECT_EQ(pair(plan, "b", "c", arithmetic).reason, Reason::Compute);
}

TEST_F(ExplainTest, ASynchronisationMayBeDearerThanTheGain) {
  const Plan plan = plan_of({{"a", "b", "c", "d", "f", "e"}});
  const Pair found = pair(plan, "b", "c", NamedCosts({{"b", {.time_us = 0.5}}}));
  EXPECT_EQ(found.reason, Reason::Sync);
  EXPECT_EQ(found.text,
            "a synchronisation costs 1.0 us, side by side they would save at most 0.5 us");
}

TEST_F(ExplainTest, OneStreamIsTheSchedulersChoice) {
  const Plan plan = plan_of({{"a", "b", "c", "d", "f", "e"}});
  const Pair found = pair(plan, "b", "c");
  EXPECT_EQ(found.reason, Reason::Scheduler);
  EXPECT_DOUBLE_EQ(found.gain_us, 10);
}

TEST_F(ExplainTest, OtherStreamsMayHaveHadWork) {
  const Plan plan = plan_of({{"a", "b", "f", "e"}, {"c", "d"}});
  const Pair found = pair(plan, "b", "f");
  EXPECT_EQ(found.reason, Reason::StreamsBusy);
  EXPECT_EQ(found.text, "all 2 streams have work while 'b' (Neg) runs");
}

TEST_F(ExplainTest, InputsMayComeTooLate) {
  const Plan plan = plan_of({{"f", "a", "b", "e"}, {"c", "d"}});
  const Pair found = pair(plan, "f", "c");
  EXPECT_EQ(found.reason, Reason::Timing);
}

TEST_F(ExplainTest, EditsAreNamedByTheirLine) {
  constraints = constraints_of(graph, NodeNames(graph), parse_edits("\nnever-parallel b c"), 2);
  const Plan plan = obeying(graph, plan_of({{"a", "b", "f", "e"}, {"c", "d"}}), constraints);
  const Pair found = pair(plan, "c", "b");
  EXPECT_EQ(found.reason, Reason::Edit);
  EXPECT_EQ(found.text, "line 2 of the edits says so");
  constraints =
      constraints_of(graph, NodeNames(graph), parse_edits("pin b stream 1\npin c stream 1"), 2);
  const Pair pinned = pair(obeying(graph, plan, constraints), "b", "c");
  EXPECT_EQ(pinned.text, "lines 1 and 2 of the edits pin both to stream 1");
}

TEST_F(ExplainTest, WaitsForMemoryAndStagesAreTold) {
  Plan stages = plan_of({{"f", "e"}, {"a", "b", "c", "d"}});
  stages.streams[1][1].waits = {{StreamId(0), 0}};  // b waits for f: a barrier
  place(graph, stages);
  EXPECT_EQ(pair(stages, "f", "b").reason, Reason::Barrier);

  Plan shared = plan_of({{"f", "e"}, {"a", "b", "c", "d"}});
  shared.streams[1][1].waits = {{StreamId(0), 0}};
  shared.placements[graph.find("b").at()] = shared.placements[graph.find("f").at()];
  EXPECT_EQ(pair(shared, "f", "b").reason, Reason::Barrier) << "memory followed from the stages";
  thrifty = true;
  EXPECT_EQ(pair(shared, "f", "b").reason, Reason::Memory);
}

TEST_F(ExplainTest, AFullGpuMakesWhoIsReadyWait) {
  const sim::GpuSpec gpu = sim::load_gpu_spec("a100");
  const Plan plan = plan_of({{"a", "b", "e"}, {"c", "d"}, {"f"}});
  const Cost large{.time_us = 10, .compute_share = 0.9, .launch = {864, 256, 64, 0}};
  const NamedCosts costs({{"f", large}, {"b", {.time_us = 10, .compute_share = 0.3}}});
  // b is ready at 10 us, but begins when f has ended.
  const Timeline timeline{{{{0, 10}, {20, 30}, {50, 60}}, {{30, 40}, {40, 50}}, {{0, 20}}}, 60};
  const Subject subject{graph, plan, timeline, costs, device, {}, {}, &gpu};
  const Pair found = Pairs(subject).explain(node("f"), node("b"));
  EXPECT_EQ(found.reason, Reason::Registers);
  EXPECT_NE(found.text.find("mostly of 'f' (Exp): 864 blocks"), std::string::npos) << found.text;
}

TEST_F(ExplainTest, TheWholeStory) {
  const Plan plan = plan_of({{"a", "b", "c", "d", "f", "e"}});
  const NamedCosts costs({{"d", {.time_us = 30}}});
  const Timeline timeline = simulate_lanes(graph, costs, device, plan);
  const Subject subject{graph, plan, timeline, costs, device, lane_bounds(graph, costs, device)};
  const Explanation found = explain(subject, {.pairs = 2});
  EXPECT_DOUBLE_EQ(found.predicted_us, 80);
  EXPECT_DOUBLE_EQ(found.bounds.critical_path_us, 60);
  EXPECT_DOUBLE_EQ(found.bounds.work_us, 40);
  ASSERT_EQ(found.bounds.critical_path.size(), 4U);
  EXPECT_EQ(found.bounds.critical_path[2].node, node("d"));
  EXPECT_DOUBLE_EQ(found.parallelism, 1);
  EXPECT_EQ(found.survey.operators, 6U);
  std::size_t pairs = 0;
  for (std::size_t count : found.survey.counts) pairs += count;
  EXPECT_EQ(pairs, 15U);
  EXPECT_EQ(found.pairs.size(), 2U);
  ASSERT_FALSE(found.advice.empty());
  EXPECT_DOUBLE_EQ(found.headroom_us, 20);
  EXPECT_EQ(found.advice[0],
            "No lower bound is near the predicted time: a better Plan might save up to 20.0 us "
            "(25 %).");
}

TEST_F(ExplainTest, OnAGpuPairsComeWithWhatTheyDoToEachOther) {
  sim::GpuSpec gpu = sim::load_gpu_spec("a100");
  const Plan plan = plan_of({{"a", "b", "f", "e"}, {"c", "d"}});
  const NamedCosts costs;
  const Timeline timeline = simulate_lanes(graph, costs, device, plan);
  const ExplainOptions asked{.asked = {{node("b"), node("c")}, {node("a"), node("e")}}};
  const auto found = [&](const sim::GpuSpec* on) {
    return explain({graph, plan, timeline, costs, device, {}, {}, on}, asked);
  };
  EXPECT_FALSE(found(nullptr).pairs[0].side_by_side);
  EXPECT_TRUE(found(nullptr).interference.empty());

  const Explanation modelled = found(&gpu);
  ASSERT_TRUE(modelled.pairs[0].side_by_side);
  EXPECT_EQ(modelled.pairs[0].side_by_side->classes[0], sim::KernelClass::Memory);
  EXPECT_NEAR(modelled.pairs[0].side_by_side->slowdowns[0], 1, 0.01) << "a block each";
  EXPECT_EQ(modelled.pairs[0].side_by_side->source, "model");
  EXPECT_FALSE(modelled.pairs[1].side_by_side) << "one needs the other";
  ASSERT_EQ(modelled.interference.size(), 3U);
  EXPECT_FALSE(modelled.interference[2].stated);

  const Explanation survey = explain({graph, plan, timeline, costs, device, {}, {}, &gpu});
  ASSERT_FALSE(survey.overlapping.empty());
  EXPECT_DOUBLE_EQ(survey.overlapping[0].overlap_us, 9);
  EXPECT_TRUE(survey.overlapping[0].side_by_side);

  gpu.interference = {{"memory", "memory", 1.6, 1.6, "measured on a test"}};
  const Explanation stated = found(&gpu);
  EXPECT_EQ(stated.pairs[0].side_by_side->source, "measured on a test");
  EXPECT_NEAR(stated.interference[2].slowdowns[0], 1.6, 0.016);
  EXPECT_EQ(stated.interference[1].source, "model");
}

TEST_F(ExplainTest, ALongPathIsToBlameIfItTakesMostOfTheTime) {
  const Plan plan = plan_of({{"a", "b", "f", "e"}, {"c", "d"}});
  const NamedCosts costs({{"d", {.time_us = 100}}});
  const Timeline timeline = simulate_lanes(graph, costs, device, plan);
  const Explanation found =
      explain({graph, plan, timeline, costs, device, lane_bounds(graph, costs, device)});
  ASSERT_GE(found.advice.size(), 2U);
  EXPECT_NE(found.advice[0].find("takes 98 % of the predicted time: other Plans, on however many "
                                 "streams, save at most 2.0 us (2 %)"),
            std::string::npos)
      << found.advice[0];
  EXPECT_EQ(found.advice[1],
            "'d' (Neg) is 77 % of the path, and cannot be cut over several cores: start there.");
}

TEST_F(ExplainTest, NoPairMightSaveMoreThanAnyPlan) {
  const Plan plan = plan_of({{"a", "b", "c", "d", "f", "e"}});
  const NamedCosts costs({{"d", {.time_us = 30}}});
  const Timeline timeline = simulate_lanes(graph, costs, device, plan);
  const auto found_with = [&](double bound_us) {
    const Subject subject{graph, plan, timeline, costs, device, {.critical_path_us = bound_us}};
    return explain(subject);
  };
  const auto most = [](const Explanation& found) {
    double us = 0;
    for (const Pair& pair : found.pairs) us = std::max(us, pair.gain_us);
    return us;
  };
  EXPECT_DOUBLE_EQ(most(found_with(0)), 10);
  EXPECT_DOUBLE_EQ(most(found_with(76)), 4);
  const Explanation at_bound = found_with(79.5);
  EXPECT_THAT(at_bound.pairs, testing::IsEmpty());
  EXPECT_GT(at_bound.survey.counts[static_cast<std::size_t>(Reason::Bound)], 0U);
  EXPECT_EQ(at_bound.survey.counts[static_cast<std::size_t>(Reason::Scheduler)], 0U);
}

TEST_F(ExplainTest, NobodyIsToldToTakeTheSchedulerThatWasAsked) {
  const Plan plan = plan_of({{"a", "b", "c", "d", "f", "e"}});
  const NamedCosts costs;
  const Timeline timeline = simulate_lanes(graph, costs, device, plan);
  Subject subject{graph, plan, timeline, costs, device, lane_bounds(graph, costs, device)};
  const auto advice_has = [&](std::string_view words) {
    return std::ranges::any_of(explain(subject).advice, [&](const std::string& sentence) {
      return sentence.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(advice_has("--scheduler braid"));
  subject.asked = "braid";  // it took another's Plan
  EXPECT_FALSE(advice_has("--scheduler braid"));
  EXPECT_TRUE(advice_has("--plan-seconds"));
  Plan loaded = plan;  // for which no scheduler is asked
  loaded.scheduler = "braid";
  const Subject of_loaded{graph, loaded, timeline, costs, device, subject.bounds};
  for (const std::string& sentence : explain(of_loaded).advice)
    EXPECT_EQ(sentence.find("--"), std::string::npos) << sentence;
}

TEST_F(ExplainTest, OperatorsWithoutAKernelAreNamedIfTheyTakeTime) {
  const NamedCosts costs;
  graph.set_lowering(node("b"), {"evaluate", 0, {}});
  const Plan plan = plan_of({{"a", "b", "f", "e"}, {"c", "d"}});
  const Timeline timeline = simulate_lanes(graph, costs, device, plan);
  const Explanation found =
      explain({graph, plan, timeline, costs, device, lane_bounds(graph, costs, device)});
  const auto is_named = [](const std::string& sentence) {
    return sentence.starts_with("17 % of all work is done by the reference") &&
           sentence.find("1 Neg") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(found.advice, is_named), 1);
}

TEST_F(ExplainTest, EveryPairOfEverySchedulerHasOneReason) {
  const NamedCosts costs;
  for (const Scheduler& scheduler : schedulers()) {
    const Plan plan = scheduler.run(graph, costs, device, {.search_steps = 20});
    for (NodeId a : graph.node_ids())
      for (NodeId b : graph.node_ids()) {
        if (a == b) continue;
        const Timeline timeline = simulate_lanes(graph, costs, device, plan);
        EXPECT_THAT(trace_faults(graph, plan, timeline), testing::IsEmpty());
        const Subject subject{graph, plan, timeline, costs, device, {}};
        const Pairs pairs(subject);
        const Pair found = pairs.explain(a, b);
        EXPECT_FALSE(found.text.empty());
        EXPECT_EQ(found.reason, pairs.explain(b, a).reason);
      }
  }
}

}  // namespace
}  // namespace braid
