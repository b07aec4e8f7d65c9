#include <gtest/gtest.h>

#include "device/sim/sim_device.h"
#include "rewrite/canonicalise.h"
#include "schedule/schedulers.h"
#include "sim/ensemble.h"
#include "sim/plan_launches.h"
#include "sim/testing/capacities.h"
#include "zoo/zoo.h"

namespace braid::sim {
namespace {

/// Of a model: kernels are chosen by the closed form of their time, and another may be faster.
constexpr double kChoiceOfModel = 0.01;

double nominal_us(const GpuSpec& gpu, const Graph& lowered, const Plan& plan) {
  const NodeKernels kernels = node_kernels(gpu, lowered);
  return simulator_of(gpu, kernels.kernels, 0).time_us(slots_of(kernels, plan).slots);
}

class MoreCapacity : public testing::TestWithParam<std::string> {
 protected:
  const GpuSpec gpu = load_gpu_spec(GetParam());
  const std::unique_ptr<Device> device = make_device(GetParam());

  Graph lowered(const char* model) const {
    return device->lower(canonicalise(zoo::build(model), {}).graph, device->modelled_costs());
  }
  Plan planned(const Graph& graph, std::string_view scheduler) const {
    return scheduler_named(scheduler).run(graph, device->modelled_costs(), device->spec(), {});
  }
};

TEST_P(MoreCapacity, IsNotSlowerForOperatorsOneAfterAnother) {
  for (const char* model : {"googlenet", "t5-small-encoder"}) {
    const Graph graph = lowered(model);
    const Plan plan = planned(graph, "sequential");
    const double before_us = nominal_us(gpu, graph, plan);
    for (const Capacity& capacity : kCapacities)
      for (const double factor : {1.1, 2.0})
        EXPECT_LE(nominal_us(capacity.raised(gpu, factor), graph, plan),
                  before_us * (1 + kChoiceOfModel))
            << model << ", " << factor << " times the " << capacity.name;
  }
}

/// In a Plan of several streams, a little more of one thing may let kernels meet in a worse order;
/// twice as much of everything is faster under every scheduler.
TEST_P(MoreCapacity, OfEverythingIsNotSlowerUnderAnyScheduler) {
  for (const char* model : {"squeezenet", "googlenet"}) {
    const Graph graph = lowered(model);
    for (const char* scheduler : {"sequential", "wavefront", "nimble", "ios", "opara"}) {
      const Plan plan = planned(graph, scheduler);
      EXPECT_LE(nominal_us(with_more_of_everything(gpu, 2), graph, plan),
                nominal_us(gpu, graph, plan))
          << model << " under " << scheduler;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfGpus, MoreCapacity, testing::ValuesIn(gpu_names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace braid::sim
