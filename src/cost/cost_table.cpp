#include "cost/cost_table.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "cost/signature.h"

namespace braid {
namespace {

/// Measurements from which on a mean is used: fewer say little about an operator.
constexpr int kEnough = 3;

/// The same work in another time: in less time it takes a larger share of the device.
Cost with_time(Cost cost, double time_us, double time_beside_us) {
  const double faster = time_us > 0 ? cost.time_us / time_us : 0;
  cost.compute_share = std::min(1.0, cost.compute_share * faster);
  cost.bandwidth_share = std::min(1.0, cost.bandwidth_share * faster);
  cost.time_us = time_us;
  cost.time_beside_us = std::max(time_us, time_beside_us);
  return cost;
}

}  // namespace

CostTable::CostTable(std::shared_ptr<const CostModel> otherwise)
    : otherwise_(std::move(otherwise)) {
  require(otherwise_ != nullptr, "a cost table falls back on a model");
}

void CostTable::add(const std::string& signature, Measurement measurement) {
  const auto found = entries_.find(signature);
  if (found != entries_.end()) count(found->second, -1);
  count(measurement, 1);
  entries_[signature] = std::move(measurement);
}

void CostTable::count(const Measurement& measurement, int sign) {
  if (!(measurement.time_us > 0) || !(measurement.modelled_us > 0)) return;
  const double logarithm = std::log(measurement.time_us / measurement.modelled_us);
  for (Drift* drift : {&drift_, &drifts_[measurement.op]}) {
    drift->logarithms += sign * logarithm;
    drift->count += sign;
  }
}

const Measurement* CostTable::find(const std::string& signature) const {
  const auto found = entries_.find(signature);
  return found == entries_.end() ? nullptr : &found->second;
}

Cost CostTable::cost(const Graph& graph, NodeId node, int parts) const {
  const Cost modelled = otherwise_->cost(graph, node, parts);
  if (is_view(graph.node(node)) || entries_.empty()) return modelled;
  if (const Measurement* measured = find(signature(graph, node, parts)))
    return with_time(modelled, measured->time_us, measured->time_beside_us);
  const double scale = scale_of(graph, node, parts);
  return with_time(modelled, modelled.time_us * scale, modelled.time_beside_us * scale);
}

double CostTable::scale_of(const Graph& graph, NodeId node, int parts) const {
  if (parts > 1) {
    const Measurement* whole = find(signature(graph, node));
    const double modelled_us = otherwise_->cost(graph, node).time_us;
    if (whole != nullptr && modelled_us > 0) return whole->time_us / modelled_us;
  }
  const auto found = drifts_.find(graph.node(node).op);
  const Drift& drift =
      found != drifts_.end() && found->second.count >= kEnough ? found->second : drift_;
  return drift.count > 0 ? std::exp(drift.logarithms / drift.count) : 1;
}

}  // namespace braid
