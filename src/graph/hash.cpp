#include "graph/hash.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/order.h"

namespace braid {
namespace {

class GraphHasher {
 public:
  GraphHasher(const Graph& graph, HashWeights weights)
      : graph_(graph),
        weights_(weights),
        number_(graph.value_limit(), -1),
        hashed_(graph.node_limit(), false) {}

  Hash128 run() {
    for (ValueId input : graph_.inputs()) {
      hasher_.add('i');
      add_type(input);
      number_[input.at()] = next_++;
    }
    for (const GraphOutput& output : graph_.outputs()) {
      visit(graph_.value(output.value).producer);
      add_reference(output.value);
    }
    for (NodeId id : graph_.node_ids()) visit(id);
    return hasher_.finish();
  }

 private:
  /// Hashes a node after everything it needs.
  void visit(NodeId root) {
    visit_needed(graph_, root, hashed_, [&](NodeId id) { add_node(id); });
  }

  /// In no order: which one is tried first is a matter of time, not of what the graph is.
  void add_cuts(std::vector<Cut> cuts) {
    std::ranges::sort(cuts, {}, [](const Cut& cut) { return std::pair(cut.axis, cut.grain); });
    hasher_.add(cuts.size());
    for (const Cut& cut : cuts) {
      hasher_.add(cut.axis);
      hasher_.add(cut.grain);
    }
  }

  void add_node(NodeId id) {
    const Node& node = graph_.node(id);
    hasher_.add('n');
    hasher_.add(std::string_view(node.op));
    add_to_hash(hasher_, node.attributes);
    hasher_.add(std::string_view(node.lowering.implementation));
    hasher_.add(node.lowering.scratch_bytes);
    add_cuts(node.lowering.cuts);
    hasher_.add(node.inputs.size());
    for (ValueId input : node.inputs) add_reference(input);
    hasher_.add(node.outputs.size());
    for (ValueId output : node.outputs) {
      hasher_.add(output.valid());
      if (!output.valid()) continue;
      add_type(output);
      number_[output.at()] = next_++;
    }
  }

  void add_reference(ValueId id) {
    if (!id.valid()) {
      hasher_.add('-');
    } else if (number_[id.at()] >= 0) {
      hasher_.add('v');
      hasher_.add(number_[id.at()]);
    } else {
      hasher_.add('c');
      add_type(id);
      if (weights_ == HashWeights::Bytes)
        hasher_.add(hash_bytes(graph_.value(id).constant.bytes()));
      number_[id.at()] = next_++;
    }
  }

  void add_type(ValueId id) {
    const Value& value = graph_.value(id);
    hasher_.add(value.type.element);
    hasher_.add(value.type.dims.size());
    for (std::int64_t d : value.type.dims) hasher_.add(d);
    hasher_.add(std::string_view(value.layout));
  }

  const Graph& graph_;
  HashWeights weights_;
  Hasher hasher_;
  std::vector<std::int64_t> number_;
  std::vector<bool> hashed_;
  std::int64_t next_ = 0;
};

}  // namespace

Hash128 hash(const Graph& graph, HashWeights weights) { return GraphHasher(graph, weights).run(); }

Hash128 hash_with_names(const Graph& graph, HashWeights weights) {
  Hasher hasher;
  hasher.add(hash(graph, weights));
  for (const NodeId node : graph.nodes_in_order())
    for (const ValueId output : graph.node(node).outputs)
      if (output.valid()) hasher.add(std::string_view(graph.value(output).name));
  return hasher.finish();
}

}  // namespace braid
