#include "choose/unseen.h"

#include <gtest/gtest.h>

#include "devices/open.h"
#include "ops/builder.h"
#include "pipeline/stages.h"
#include "sim/draws.h"
#include "sim/plan_model.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

PipelineOptions planning(std::string scheduler) {
  PipelineOptions options;
  options.plan.scheduler = std::move(scheduler);
  return options;
}

TEST(Unseen, TakesTheFastestAndSaysWhy) {
  const auto device = open_device("sim:a100");
  const Planned slow = to_plan(zoo::build("googlenet"), *device, planning("sequential"));
  const Planned fast = to_plan(zoo::build("googlenet"), *device, planning("nimble"));
  const auto judge = device->judge(slow.lowered(), slow.profile().costs, slow.profile().spec);
  const Kept chosen = fastest_unseen(*judge, {slow.plan, fast.plan}, "sequential");
  EXPECT_EQ(chosen.plan.streams, fast.plan.streams);
  EXPECT_EQ(chosen.plan.scheduler, "sequential") << "it was asked for under this name";
  EXPECT_EQ(chosen.reason.rfind("nimble's Plan takes 0.", 0), 0) << chosen.reason;
  EXPECT_NE(chosen.reason.find("16 perturbed models that no search has seen, simulated"),
            std::string::npos);
  const Kept own = fastest_unseen(*judge, {slow.plan, fast.plan}, "nimble");
  EXPECT_EQ(own.reason.rfind("the search's own Plan takes 0.", 0), 0) << own.reason;
}

TEST(Unseen, IsHowBraidChoosesOnASimulatedDevice) {
  const auto device = open_device("sim:rtx2080s");
  PipelineOptions options = planning("braid");
  options.plan.search_seconds = 0.05;
  const Planned prepared = to_plan(zoo::build("squeezenet-1.1"), *device, options);
  EXPECT_NE(prepared.reason.find("no search has seen"), std::string::npos) << prepared.reason;
  EXPECT_EQ(prepared.plan.scheduler, "braid");
  EXPECT_TRUE(to_plan(zoo::build("squeezenet-1.1"), *device, planning("opara")).reason.empty());
}

TEST(Unseen, WhatIsReportedHelpsToFindAndToChooseNothing) {
  const auto device = open_device("sim:a100");
  const std::int64_t before = sim::reported_draws_made();
  PipelineOptions options = planning("braid");
  options.plan.search_steps = 20;
  const Planned found = to_plan(zoo::build("squeezenet-1.1"), *device, options);
  ASSERT_NE(found.reason.find("no search has seen"), std::string::npos) << found.reason;
  const auto judge = device->judge(found.lowered(), found.profile().costs, found.profile().spec);
  EXPECT_FALSE(judge->graph_us(found.plan).empty());
  EXPECT_EQ(sim::reported_draws_made(), before);
  EXPECT_TRUE(predict(found, *device).simulated.has_value());
  EXPECT_EQ(sim::reported_draws_made(), before + sim::kReportedDraws.count);
}

TEST(Unseen, ADeviceThatRunsHasNoModelsToCompareGraphsBy) {
  const auto device = open_device("cpu", {.threads = 2});
  PipelineOptions options = planning("sequential");
  options.costs.use_cache = false;
  const Planned found = to_plan(parse("x: f32[8]\ny = Relu(x)"), *device, options);
  const auto judge = device->judge(found.lowered(), found.profile().costs, found.profile().spec);
  EXPECT_FALSE(judge->knows_unseen_models());
  EXPECT_TRUE(judge->graph_us(found.plan).empty());
}

}  // namespace
}  // namespace braid
