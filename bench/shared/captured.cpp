#include "shared/captured.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "devices/open.h"
#include "rewrite/canonicalise.h"
#include "schedule/schedulers.h"
#include "shared/networks.h"

namespace braid::bench {
namespace {

/// What a set-up's framework leaves of the steps that Braid takes.
CanonicaliseOptions steps_of(std::string_view setup) {
  CanonicaliseOptions options;
  options.disabled = {"merge-common-subexpressions"};
  if (setup == "pytorch")
    for (const char* step : {"fold-batch-norm", "fuse-bias", "fuse-residual", "fuse-activation"})
      options.disabled.emplace_back(step);
  else if (setup != "framework")
    raise(ErrorKind::Usage,
          fmt::format("there is no set-up {}: choose pytorch or framework", quote(setup)));
  return options;
}

}  // namespace

Plan Captured::plan(std::string_view scheduler) const {
  return schedule(scheduler, lowered, device->modelled_costs(), device->spec(), {});
}

SimulatedTime Captured::time(std::string_view scheduler) const {
  return *device->compile(lowered, plan(scheduler))->simulate();
}

Captured capture(std::string_view gpu, std::string_view setup, std::string_view network,
                 std::int64_t batch) {
  const std::size_t plus = setup.find('+');
  const std::string_view words = plus == std::string_view::npos ? "" : setup.substr(plus);
  Captured result;
  result.device = open_device(fmt::format("sim:{}{}", gpu, words));
  const Graph graph =
      canonicalise(build_network(network, batch), steps_of(setup.substr(0, plus))).graph;
  result.lowered = result.device->lower(graph, result.device->modelled_costs());
  return result;
}

}  // namespace braid::bench
