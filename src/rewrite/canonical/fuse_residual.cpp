#include <algorithm>

#include "ops/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/canonical/steps.h"
#include "tensor/element.h"

namespace braid {
namespace {

/// The number of nodes on the longest path that ends in each node, by node id.
class Levels {
 public:
  explicit Levels(const Graph& graph) : graph_(graph), of_(graph.node_limit(), 0) {
    for (NodeId id : graph.nodes_in_order()) {
      int level = 0;
      for (ValueId input : graph.node(id).inputs)
        if (input.valid()) level = std::max(level, of(input));
      of_[id.at()] = level + 1;
    }
  }

  int of(ValueId value) const {
    const NodeId producer = graph_.value(value).producer;
    return producer.valid() ? of_[producer.at()] : 0;
  }
  /// The node that was added last stands where another stood.
  void last_added_is_at(int level) { of_.resize(graph_.node_limit(), level); }

 private:
  const Graph& graph_;
  std::vector<int> of_;
};

struct ResidualMatch {
  NodeId host;
  ValueId residual;
};

/// The side of an Add that can take the other in. The other must be there before the host can
/// start: waiting for it would put two branches that can run side by side one after the other. So
/// of two equally deep branches neither swallows the other.
std::optional<ResidualMatch> match(const Graph& graph, const Node& add, const Levels& levels) {
  if (add.inputs.size() != 2) return std::nullopt;
  const TensorType& type = graph.value(add.outputs[0]).type;
  if (!is_float_type(type.element)) return std::nullopt;
  for (std::size_t side = 0; side < 2; ++side) {
    const ValueId sum = add.inputs[side];
    const ValueId residual = add.inputs[1 - side];
    const NodeId host = open_host(graph, sum);
    if (!host.valid() || graph.value(sum).type != type || graph.value(residual).type != type)
      continue;
    if (input_of(graph.node(host), Epilogue::kResidualInput).valid()) continue;
    if (levels.of(residual) < levels.of(sum)) return ResidualMatch{host, residual};
  }
  return std::nullopt;
}

}  // namespace

std::int64_t fuse_residual(Graph& graph, Allowance&) {
  std::int64_t changes = 0;
  Levels levels(graph);
  for (NodeId id : graph.nodes_in_order()) {
    if (!graph.alive(id) || graph.node(id).op != "Add") continue;
    const Node& add = graph.node(id);
    const auto found = match(graph, add, levels);
    if (!found) continue;
    const int level = levels.of(graph.node(found->host).outputs[0]);
    Node host = copy_host(graph.node(found->host));
    host.inputs[Epilogue::kResidualInput] = found->residual;
    GraphEdit edit("fuse-residual");
    edit.replace(add.outputs[0],
                 edit.add_node(std::move(host), {graph.value(add.outputs[0]).type})[0]);
    graph.apply(edit);
    levels.last_added_is_at(level);
    ++changes;
  }
  return changes;
}

}  // namespace braid
