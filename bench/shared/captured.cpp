#include "shared/captured.h"

#include <fmt/format.h>

#include "devices/open.h"
#include "rewrite/canonicalise.h"
#include "schedule/schedulers.h"
#include "zoo/zoo.h"

namespace braid::bench {

Plan Captured::plan(std::string_view scheduler) const {
  return schedule(scheduler, lowered, device->modelled_costs(), device->spec(), {});
}

SimulatedTime Captured::time(std::string_view scheduler) const {
  return *device->compile(lowered, plan(scheduler))->simulate();
}

Captured capture(std::string_view gpu, std::string_view setup, std::string_view network,
                 std::int64_t batch) {
  return capture(fmt::format("sim:{}+{}", gpu, setup), network, batch);
}

Captured capture(std::string_view device, std::string_view network, std::int64_t batch) {
  Captured result;
  result.device = open_device(device);
  CanonicaliseOptions options;
  options.disabled = {"merge-common-subexpressions"};
  for (const OmittedStep& step : result.device->omitted_steps())
    options.disabled.emplace_back(step.name);
  const Graph graph = canonicalise(zoo::build(network, {.batch = batch}), options).graph;
  result.lowered = result.device->lower(graph, result.device->modelled_costs());
  return result;
}

}  // namespace braid::bench
