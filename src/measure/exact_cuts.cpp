#include "measure/exact_cuts.h"

#include <algorithm>

#include "cost/signature.h"
#include "device/one_node.h"
#include "tensor/difference.h"

namespace braid {

bool parts_give_the_whole(const Graph& lowered, NodeId node, int parts, const Device& device) {
  OneNode one = one_node(lowered, node);
  for (const ValueId output : std::vector(one.graph.node(one.node).outputs))
    if (output.valid()) one.graph.add_output(output);
  const std::vector<Plan> plans = {plan_of_parts(one, device.spec(), 1),
                                   plan_of_parts(one, device.spec(), parts)};
  const auto programs = device.compile(one.graph, plans);
  const std::vector<Tensor> inputs = random_inputs(one.graph);
  return std::ranges::equal(programs[0]->run(inputs), programs[1]->run(inputs), same_numbers);
}

Graph without_cuts(Graph lowered, std::span<const RefusedCut> refused) {
  if (refused.empty()) return lowered;
  for (const NodeId id : lowered.node_ids()) {
    Lowering lowering = lowered.node(id).lowering;
    if (lowering.cuts.empty()) continue;
    const std::string whole = signature(lowered, id);
    std::erase_if(lowering.cuts, [&](const Cut& cut) {
      return std::ranges::any_of(
          refused, [&](const RefusedCut& r) { return r.node == whole && r.cut == cut; });
    });
    lowered.set_lowering(id, std::move(lowering));
  }
  return lowered;
}

}  // namespace braid
