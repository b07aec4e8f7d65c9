#include "zoo/zoo.h"

#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "device/sim/sim_device.h"
#include "ops/testing/case.h"
#include "plan/verify.h"
#include "rewrite/canonicalise.h"
#include "schedule/schedulers.h"

namespace braid::sim {
namespace {

/// Models that take long for their Plans or weights, and have a small one like them in the zoo.
constexpr std::array<std::string_view, 2> kSlow = {"nasnet-a-large", "bert-base"};

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

/// Braid's search begins with the Plans of all other schedulers, and tells of them.
TEST_P(ZooOnGpu, EverySchedulersPlansAreVerified) {
  std::set<std::string, std::less<>> rows;
  for (const Scheduler& scheduler : schedulers()) rows.emplace(scheduler.name);
  for (const zoo::ZooModel& model : zoo::models()) {
    if (!is_full() && std::ranges::count(kSlow, model.name) > 0) continue;
    const Graph graph = lowered(model.name);
    std::set<std::string, std::less<>> met;
    ScheduleOptions options{.search_steps = 4};
    options.candidate = [&](const Plan& plan) {
      SCOPED_TRACE(std::string(model.name) + " under " + plan.scheduler);
      EXPECT_NO_THROW(verify(graph, plan));
      EXPECT_EQ(plan.device, "sim:" + GetParam());
      met.insert(plan.scheduler);
    };
    schedule("braid", graph, device->modelled_costs(), device->spec(), options);
    EXPECT_EQ(met, rows) << model.name;
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
