#include "schedule/schedulers.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

const std::vector<Scheduler>& schedulers() {
  static const std::vector<Scheduler> table = {
      {"sequential", "one operator after another, each over all cores where that is faster",
       sequential},
      {"braid", "operators side by side or cut, whichever is faster; never worse than the others",
       braid_search},
  };
  return table;
}

int stream_limit(const DeviceSpec& device, const ScheduleOptions& options) {
  const int most = std::max(1, device.streams);
  return options.streams > 0 ? std::min(options.streams, most) : most;
}

const Scheduler& scheduler_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Scheduler& scheduler : schedulers()) {
    if (scheduler.name == name) return scheduler;
    names.push_back(scheduler.name);
  }
  raise(ErrorKind::Usage, fmt::format("there is no scheduler {}: choose one of {}", quote(name),
                                      fmt::join(names, ", ")));
}

}  // namespace braid
