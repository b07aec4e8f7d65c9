#include "schedule/schedulers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

const std::vector<Scheduler>& schedulers() {
  static const std::vector<Scheduler> table = {
      {"sequential", "one operator after another, in topological order", sequential},
  };
  return table;
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
