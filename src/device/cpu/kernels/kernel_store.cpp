#include "device/cpu/kernels/kernel_store.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "device/cpu/kernels/ways.h"

namespace braid::cpu {

KernelStore::KernelStore(const Graph& lowered)
    : graph_(lowered), constants_(lowered), entries_(lowered.node_limit()) {}

const Way& KernelStore::way_of(NodeId id) {
  std::optional<Way>& way = entries_[id.at()].way;
  if (way) return *way;
  const Node& node = graph_.node(id);
  way = prepare_as(kernel_call_of(graph_, node), node.lowering.implementation);
  if (!way || way->scratch_bytes > node.lowering.scratch_bytes)
    raise(ErrorKind::Device,
          fmt::format("implementation '{}' is not available on this machine as the graph was "
                      "lowered: lower it again",
                      node.lowering.implementation));
  return *way;
}

std::shared_ptr<const Kernel> KernelStore::kernel_of(const Step& step) {
  const Cut cut = step.parts > 1 ? step.cut : Cut{};
  auto& kernel = entries_[step.node.at()].parts[{cut.axis, cut.grain, step.part, step.parts}];
  if (kernel != nullptr) return kernel;
  const Way& way = way_of(step.node);
  if (step.parts > 1 && !std::ranges::count(way.cuts, step.cut))
    raise(ErrorKind::Unsupported, "the plan cuts an operator that cannot be cut so here");
  kernel = std::make_shared<const Kernel>(way.make({cut, step.part, step.parts}));
  return kernel;
}

}  // namespace braid::cpu
