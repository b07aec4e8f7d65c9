#include "zoo/zoo.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "device/sim/sim_device.h"
#include "ops/testing/case.h"
#include "plan/verify.h"
#include "rewrite/canonicalise.h"
#include "schedule/schedulers.h"

namespace braid::sim {
namespace {

/// Its Plans alone take as long as those of all other models.
constexpr std::string_view kSlowest = "nasnet-a-large";

class ZooOnGpu : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Device> device = make_device(GetParam());

  Graph lowered(std::string_view model) const {
    CanonicaliseOptions options;
    for (const OmittedStep& step : device->omitted_steps())
      options.disabled.emplace_back(step.name);
    return device->lower(canonicalise(zoo::build(model), options).graph, device->modelled_costs());
  }
};

TEST_P(ZooOnGpu, EverySchedulersPlansAreVerified) {
  ScheduleOptions options;
  options.search_steps = 4;
  for (const zoo::ZooModel& model : zoo::models()) {
    if (model.name == kSlowest && !is_full()) continue;
    const Graph graph = lowered(model.name);
    for (const Scheduler& scheduler : schedulers()) {
      SCOPED_TRACE(std::string(model.name) + " under " + std::string(scheduler.name));
      const Plan plan = scheduler.run(graph, device->modelled_costs(), device->spec(), options);
      EXPECT_NO_THROW(verify(graph, plan));
      EXPECT_EQ(plan.device, "sim:" + GetParam());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfWords, ZooOnGpu, testing::Values("a100", "a100+framework", "t4+eager"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, '+', '_');
                           return name;
                         });

}  // namespace
}  // namespace braid::sim
