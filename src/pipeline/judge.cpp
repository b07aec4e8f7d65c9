#include "pipeline/judge.h"

namespace braid {

ScheduleOptions schedule_options(const Device& device, const Graph& lowered) {
  ScheduleOptions options;
  options.evaluate = device.search_judge(lowered);
  options.variants = device.variants(lowered);
  return options;
}

}  // namespace braid
