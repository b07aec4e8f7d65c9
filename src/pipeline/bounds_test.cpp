#include <gtest/gtest.h>

#include "devices/open.h"
#include "pipeline/stages.h"
#include "schedule/schedulers.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

TEST(Bounds, NoSchedulerBeatsThemOnAnyDevice) {
  for (const char* name : {"cpu", "sim:a100", "sim:a100+tf32", "sim:t4", "sim:v100+streams"}) {
    const bool on_cores = std::string_view(name) == "cpu";
    const auto device = open_device(name, {.threads = on_cores ? 2 : 0});
    PipelineOptions options;
    options.costs.use_cache = false;
    options.plan.search_steps = 20;
    const auto costed = to_costs(zoo::build("squeezenet-1.1"), *device, options);
    for (const Scheduler& scheduler : schedulers()) {
      options.plan.scheduler = scheduler.name;
      const Planned plan = planned(costed, *device, options);
      const Bounds least = bounds(plan, *device);
      EXPECT_LE(least.time_us(), predict(plan, *device).timeline.end_us * (1 + 1e-9))
          << scheduler.name << " on " << name;
      EXPECT_GT(std::min({least.critical_path_us, least.work_us, least.bandwidth_us}), 0);
    }
  }
}

}  // namespace
}  // namespace braid
