#include "pipeline/judge.h"

namespace braid {

ScheduleOptions schedule_options(const Device& device, const Graph& lowered) {
  ScheduleOptions options;
  if (device.is_simulated())
    options.evaluate = [&](const Plan& plan) {
      return device.compile(lowered, plan)->nominal_us().value();
    };
  return options;
}

}  // namespace braid
