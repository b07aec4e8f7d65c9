#include "measure/cut_order.h"

#include <algorithm>

#include "cost/signature.h"

namespace braid {
namespace {

/// Another cut has to take less than this share of the first one's time.
constexpr double kLeastAheadOfCut = 0.97;

void put_first(Graph& lowered, NodeId id, std::size_t place) {
  Lowering lowering = lowered.node(id).lowering;
  const auto begin = lowering.cuts.begin();
  std::rotate(begin, begin + static_cast<std::ptrdiff_t>(place),
              begin + static_cast<std::ptrdiff_t>(place) + 1);
  lowered.set_lowering(id, std::move(lowering));
}

}  // namespace

void TimesOfCuts::note(const Graph& lowered, const CostTable& costs, OrderOf order) {
  for (const NodeId id : lowered.node_ids()) {
    if (lowered.node(id).lowering.cuts.size() < 2) continue;
    const auto cut = cut_into(lowered, id, parts_);
    if (!cut) continue;
    const Measurement* found = costs.find(signature(lowered, id, parts_));
    if (found != nullptr)
      times_[signature(lowered, id)].push_back({*cut, found->time_us, order == OrderOf::Kernels});
  }
}

std::vector<FasterCut> TimesOfCuts::faster() const {
  std::vector<FasterCut> found;
  for (const auto& [node, times] : times_)
    if (const auto cut = faster_than_first(times)) found.push_back({node, *cut});
  return found;
}

std::optional<Cut> TimesOfCuts::faster_than_first(const std::vector<Time>& times) {
  const auto first = std::ranges::find(times, true, &Time::is_first);
  const auto fastest = std::ranges::min_element(times, {}, &Time::us);
  if (first == times.end() || fastest->us >= kLeastAheadOfCut * first->us) return std::nullopt;
  return fastest->cut;
}

Graph with_cut_first(Graph lowered, std::size_t place) {
  for (const NodeId id : lowered.node_ids())
    if (place < lowered.node(id).lowering.cuts.size()) put_first(lowered, id, place);
  return lowered;
}

Graph with_faster_cuts(Graph lowered, std::span<const FasterCut> faster) {
  if (faster.empty()) return lowered;
  for (const NodeId id : lowered.node_ids()) {
    const std::vector<Cut>& cuts = lowered.node(id).lowering.cuts;
    if (cuts.size() < 2) continue;
    const std::string whole = signature(lowered, id);
    const auto of_node = std::ranges::find(faster, whole, &FasterCut::node);
    if (of_node == faster.end()) continue;
    const auto at = std::ranges::find(cuts, of_node->cut);
    if (at != cuts.end()) put_first(lowered, id, static_cast<std::size_t>(at - cuts.begin()));
  }
  return lowered;
}

}  // namespace braid
