#include <algorithm>

#include "device/lowering/rules.h"
#include "device/lowering/view_buffers.h"
#include "ops/shared/axes.h"
#include "ops/shared/elements.h"
#include "plan/view.h"

namespace braid {
namespace {

bool can_be_view(const Graph& graph, NodeId id) {
  const Node& split = graph.node(id);
  if (elements_of(split) != Elements::Parted || rejects_view(graph, id)) return false;
  const TensorType& whole = graph.value(split.inputs[0]).type;
  const std::int64_t axis = normal_axis(split.op, split.attributes.integer("axis", 0),
                                        static_cast<std::int64_t>(whole.dims.size()));
  return has_dense_pieces(whole.dims, static_cast<std::size_t>(axis)) &&
         std::ranges::all_of(split.outputs, [&](ValueId piece) {
           return is_true_piece(graph.value(piece).type, whole);
         });
}

std::int64_t view_splits(Graph& graph, Allowance&) {
  std::int64_t changes = 0;
  for (const NodeId id : graph.node_ids()) {
    if (!can_be_view(graph, id)) continue;
    graph.set_lowering(id, {std::string(kViewImplementation), 0, {}});
    ++changes;
  }
  return changes;
}

}  // namespace

RewriteStep split_as_view() {
  return {"split-as-view", "the outputs of a Split lie in its input", view_splits};
}

}  // namespace braid
