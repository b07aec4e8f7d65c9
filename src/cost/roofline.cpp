#include "cost/roofline.h"

#include <algorithm>

#include "base/error.h"
#include "cost/signature.h"
#include "ops/call.h"
#include "ops/shared/epilogue.h"

namespace braid {
namespace {

std::int64_t constant_bytes(const Graph& graph, NodeId id) {
  std::int64_t bytes = 0;
  for (ValueId input : graph.node(id).inputs)
    if (input.valid() && graph.is_constant(input)) bytes += byte_size(graph.value(input).type);
  return bytes;
}

/// Whether each part of a cut node reads its own share of the weights: the cut goes along the axis
/// of the output that these run along.
bool divides_weights(const Graph& graph, NodeId id, int parts) {
  const auto cut = cut_into(graph, id, parts);
  const auto axis = weight_axis(graph, graph.node(id));
  return cut && axis && cut->axis == static_cast<int>(*axis);
}

double share(double amount, double time_us, double per_us) {
  const double capacity = time_us * per_us;
  return capacity > 0 ? std::min(1.0, amount / capacity) : 0;
}

}  // namespace

Cost RooflineCostModel::cost(const Graph& graph, NodeId node, int parts) const {
  require(parts > 0, "a node has at least one part");
  if (is_view(graph.node(node))) return {};
  const Work all = work(graph, node);
  const double flops = all.flops / parts;
  // An operator that picks from a constant (Gather) reads less than all of it.
  const auto whole = static_cast<double>(std::min(constant_bytes(graph, node), all.bytes_read));
  const double shared =
      static_cast<double>(all.bytes_read) - whole + static_cast<double>(all.bytes_written);
  const double bytes =
      (parts > 1 && divides_weights(graph, node, parts) ? whole / parts : whole) + shared / parts;
  const auto time = [](double amount, double per_us) { return per_us > 0 ? amount / per_us : 0; };
  Cost cost;
  cost.time_us = device_.launch_us + std::max(time(flops, device_.flops_per_us),
                                              time(bytes, device_.bytes_per_us_stream));
  const bool neighbours = device_.streams > 1;
  const double beside =
      neighbours ? std::min(device_.bytes_per_us_stream, device_.bytes_per_us / 2) : 0;
  cost.time_beside_us =
      std::max(cost.time_us, neighbours ? device_.launch_us + time(bytes, beside) : 0);
  cost.compute_share = share(flops, cost.time_us, device_.flops_per_us * device_.streams);
  cost.bandwidth_share = share(bytes, cost.time_us, device_.bytes_per_us);
  return cost;
}

}  // namespace braid
