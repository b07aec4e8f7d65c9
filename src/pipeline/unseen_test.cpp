#include "choose/unseen.h"

#include <gtest/gtest.h>

#include "devices/open.h"
#include "pipeline/stages.h"
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
  const Planned slow = to_plan(zoo::build("squeezenet-1.1"), *device, planning("sequential"));
  const Planned fast = to_plan(zoo::build("squeezenet-1.1"), *device, planning("nimble"));
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

}  // namespace
}  // namespace braid
