#include "pipeline/judge.h"

namespace braid {

ScheduleOptions schedule_options(const Device& device, const Graph& lowered) {
  ScheduleOptions options;
  options.evaluate = device.nominal_judge(lowered);
  return options;
}

}  // namespace braid
