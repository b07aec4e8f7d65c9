#include "cost/roofline.h"

#include <algorithm>

#include "ops/call.h"

namespace braid {

Cost RooflineCosts::cost(const Graph& graph, NodeId node, int parts) const {
  const Work total = work(graph, node);
  const double flops = total.flops / parts;
  const double bytes = static_cast<double>(total.bytes_read + total.bytes_written) / parts;
  const double busy_us = std::max(flops / spec_.flops_per_us, bytes / spec_.bytes_per_us_stream);
  Cost cost;
  cost.time_us = busy_us + spec_.launch_us;
  cost.compute_share = flops / (spec_.flops_per_us * spec_.streams) / cost.time_us;
  cost.bandwidth_share = bytes / spec_.bytes_per_us / cost.time_us;
  return cost;
}

}  // namespace braid
