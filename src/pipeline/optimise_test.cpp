#include "pipeline/optimise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/open.h"
#include "ops/builder.h"
#include "plan/trace_faults.h"
#include "plan/verify.h"

namespace braid {
namespace {

/// Grouped convolutions with activations and a shortcut: settling the result gives its nodes other
/// ids than those of the graph that the search had on trial.
constexpr std::string_view kBlocks = R"(
    x: f32[1,32,14,14]
    a = Conv(x, wa: f32[32,2,3,3], ba: f32[32]) group=16 pads=[1,1,1,1] activation="relu"
    b = Conv(a, wb: f32[32,2,3,3], bb: f32[32], x) group=16 pads=[1,1,1,1] activation="relu"
    c = Conv(b, wc: f32[64,32,1,1], bc: f32[64]) activation="relu"
    d = Conv(c, wd: f32[32,64,3,3], bd: f32[32], b) pads=[1,1,1,1] activation="relu"
    y = MaxPool(d) kernel_shape=[3,3] pads=[1,1,1,1])";

class OptimisedBlocks : public ::testing::Test {
 protected:
  Optimised result(std::int64_t candidates) const {
    PipelineOptions options;
    options.costs.use_cache = false;
    options.plan.search_steps = 30;
    const OptimiseOptions how{.seconds = 0, .candidates = candidates};
    auto model = std::make_shared<const Canonical>(canonical(parse(kBlocks), *device, options));
    return optimised(std::move(model), *device, options, how);
  }

  std::unique_ptr<Device> device = open_device("sim:a100");
};

TEST_F(OptimisedBlocks, GetAPlanThatHoldsForTheSettledGraph) {
  const Optimised found = result(60);
  ASSERT_FALSE(found.rounds.empty()) << found.report.reason;
  const Graph& lowered = found.after.lowered();
  verify(lowered, found.after.plan);
  const std::vector<int> ways = device->ways(lowered);
  for (const std::vector<Step>& stream : found.after.plan.streams)
    for (const Step& step : stream) EXPECT_LT(step.way, ways[step.node.at()]);
  EXPECT_THAT(trace_faults(lowered, found.after.plan, predict(found.after, *device).timeline),
              ::testing::IsEmpty());
  EXPECT_GT(found.report.ratio, 1);
}

TEST_F(OptimisedBlocks, ComeOutTheSameEveryTimeWithoutAClock) {
  const Optimised one = result(25);
  const Optimised two = result(25);
  EXPECT_EQ(one.rounds, two.rounds);
  EXPECT_EQ(one.after.plan.streams, two.after.plan.streams);
}

TEST_F(OptimisedBlocks, LeaveNoTraceWhenTheInputComesBack) {
  Optimised found = result(60);
  ASSERT_FALSE(found.rounds.empty()) << found.report.reason;
  give_back_input(found, "it was slower");
  EXPECT_EQ(&found.model->graph, &found.before.graph());
  EXPECT_EQ(found.after.plan.streams, found.before.plan.streams);
  EXPECT_THAT(found.rounds, ::testing::IsEmpty());
  EXPECT_THAT(found.report.rules, ::testing::IsEmpty());
  EXPECT_EQ(found.report.reason, "it was slower");
  EXPECT_EQ(found.report.ratio, 1);
  EXPECT_EQ(found.report.time_ms.after, found.report.time_ms.before);
  EXPECT_EQ(found.report.sum_us.after, found.report.sum_us.before);
}

TEST(ContestOfGraphs, KeepsWhatIsAheadBeyondChance) {
  EXPECT_TRUE(is_surely_faster({.ratio = 1.02, .low = 1.001, .high = 1.04}));
  EXPECT_FALSE(is_surely_faster({.ratio = 1.02, .low = 0.999, .high = 1.04}));
  EXPECT_FALSE(is_surely_faster({.ratio = 1.003, .low = 1.002, .high = 1.004}));
}

TEST(ContestOfGraphs, TellsTimesRatioAndBandOfItsRounds) {
  const ContestResult result = result_of({.champion_us = std::vector<double>(10, 3000),
                                          .challenger_us = std::vector<double>(10, 2000)});
  EXPECT_EQ(result.champion_ms, 3);
  EXPECT_EQ(result.challenger_ms, 2);
  EXPECT_EQ(result.ratio.ratio, 1.5);
  EXPECT_EQ(result.ratio_band.p90, 1.5);
  EXPECT_EQ(in_words(result),
            "1.500 times as fast in 10 runs by turns, [1.500, 1.500] with 95 % confidence");
}

}  // namespace
}  // namespace braid
