#include "pipeline/unseen.h"

#include <gtest/gtest.h>

#include "devices/open.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

PrepareOptions planning(std::string scheduler) {
  PrepareOptions options;
  options.scheduler = std::move(scheduler);
  options.compile = false;
  return options;
}

TEST(Unseen, TakesTheFastestAndSaysWhy) {
  const auto device = open_device("sim:a100");
  const Prepared slow = prepare(zoo::build("squeezenet-1.1"), *device, planning("sequential"));
  const Prepared fast = prepare(zoo::build("squeezenet-1.1"), *device, planning("nimble"));
  const ChosenPlan chosen =
      fastest_unseen(slow.lowered, *device, {slow.plan, fast.plan}, "sequential");
  EXPECT_EQ(chosen.plan.streams, fast.plan.streams);
  EXPECT_EQ(chosen.plan.scheduler, "sequential") << "it was asked for under this name";
  EXPECT_EQ(chosen.reason.rfind("nimble's Plan takes 0.", 0), 0) << chosen.reason;
  EXPECT_NE(chosen.reason.find("16 perturbed models that no search has seen, simulated"),
            std::string::npos);
  const ChosenPlan own = fastest_unseen(slow.lowered, *device, {slow.plan, fast.plan}, "nimble");
  EXPECT_EQ(own.reason.rfind("the search's own Plan takes 0.", 0), 0) << own.reason;
}

TEST(Unseen, IsHowBraidChoosesOnASimulatedDevice) {
  const auto device = open_device("sim:rtx2080s");
  PrepareOptions options = planning("braid");
  options.search_seconds = 0.05;
  const Prepared prepared = prepare(zoo::build("squeezenet-1.1"), *device, options);
  EXPECT_NE(prepared.reason.find("no search has seen"), std::string::npos) << prepared.reason;
  EXPECT_EQ(prepared.plan.scheduler, "braid");
  EXPECT_TRUE(prepare(zoo::build("squeezenet-1.1"), *device, planning("opara")).reason.empty());
}

}  // namespace
}  // namespace braid
