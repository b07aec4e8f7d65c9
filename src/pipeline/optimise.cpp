#include "pipeline/optimise.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

std::string_view name(RewriteCost cost) {
  constexpr std::string_view names[] = {"sum", "critical-path", "mixed"};
  return names[static_cast<std::size_t>(cost)];
}

RewriteCost rewrite_cost_named(std::string_view text) {
  for (const RewriteCost cost : {RewriteCost::Sum, RewriteCost::CriticalPath, RewriteCost::Mixed})
    if (name(cost) == text) return cost;
  raise(ErrorKind::Usage,
        fmt::format("there is no cost {}; the costs are: sum critical-path mixed", quote(text)));
}

std::string_view name(OptimiseStop stop) {
  constexpr std::string_view names[] = {"budget", "candidates", "converged", "cancelled",
                                        "no-gain"};
  return names[static_cast<std::size_t>(stop)];
}

Optimised optimised(std::shared_ptr<const Canonical> model, const Device& device,
                    const PipelineOptions& options, const OptimiseOptions& how) {
  Optimised result;
  RewrittenGraph rewritten(model->graph, rewrite_limits(model->graph));
  rewritten.replay(how.start);
  auto costed_model = costed(model, lowered(*model, device, options), device, options);
  result.before = planned(costed_model, device, options);
  result.after = result.before;
  result.model = std::move(model);
  return result;
}

}  // namespace braid
