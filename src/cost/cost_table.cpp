#include "cost/cost_table.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "cost/signature.h"

namespace braid {
namespace {

/// Measurements from which on a mean is used: fewer say little about an operator.
constexpr std::size_t kEnough = 3;

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
  own_.count(measurement.op, measurement.time_us / measurement.modelled_us, sign);
}

void CostTable::borrow(const std::vector<BorrowedRatio>& ratios) {
  borrowed_ = {};
  for (const BorrowedRatio& one : ratios) borrowed_.count(one.op, one.ratio, 1);
}

ModelledShare CostTable::modelled_share(const Graph& graph) const {
  ModelledShare share;
  std::set<const Drift*> used;
  for (const NodeId id : graph.node_ids()) {
    if (is_view(graph.node(id))) continue;
    if (const Measurement* measured = find(signature(graph, id))) {
      share.measured_us += measured->time_us;
      continue;
    }
    static const Drift kNone;
    const Drift* drift = drift_of(graph.node(id).op);
    const Drift& by = drift != nullptr ? *drift : kNone;
    const double modelled_us = otherwise_->cost(graph, id).time_us;
    share.modelled_us += modelled_us;
    share.scaled_us += modelled_us * by.factor();
    share.low_us += modelled_us * by.low();
    share.high_us += modelled_us * by.high();
    used.insert(&by);
  }
  share.own = own_.counted(used);
  share.borrowed = borrowed_.counted(used);
  return share;
}

const Measurement* CostTable::find(const std::string& signature) const {
  const auto found = entries_.find(signature);
  return found == entries_.end() ? nullptr : &found->second;
}

Cost CostTable::cost(const Graph& graph, NodeId node, int parts) const {
  const Cost modelled = otherwise_->cost(graph, node, parts);
  if (is_view(graph.node(node))) return modelled;
  if (entries_.empty() && borrowed_.all.count() == 0) return modelled;
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
  const Drift* drift = drift_of(graph.node(node).op);
  return drift != nullptr ? drift->factor() : 1;
}

const Drift* CostTable::drift_of(const std::string& op) const {
  for (const Drifts* drifts : {&own_, &borrowed_}) {
    const auto found = drifts->by_op.find(op);
    if (found != drifts->by_op.end() && found->second.count() >= kEnough) return &found->second;
  }
  for (const Drifts* drifts : {&own_, &borrowed_})
    if (drifts->all.count() > 0) return &drifts->all;
  return nullptr;
}

}  // namespace braid
