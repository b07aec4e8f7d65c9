#include "measure/cut_order.h"

#include <algorithm>

#include "cost/signature.h"

namespace braid {
namespace {

void put_first(Graph& lowered, NodeId id, std::size_t place) {
  Lowering lowering = lowered.node(id).lowering;
  const auto begin = lowering.cuts.begin();
  std::rotate(begin, begin + static_cast<std::ptrdiff_t>(place),
              begin + static_cast<std::ptrdiff_t>(place) + 1);
  lowered.set_lowering(id, std::move(lowering));
}

}  // namespace

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
