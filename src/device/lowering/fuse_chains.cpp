#include <algorithm>
#include <map>
#include <set>

#include "device/lowering/rules.h"
#include "ops/call.h"
#include "ops/chain.h"

namespace braid {
namespace {

constexpr std::size_t kMostInputs = 8;
constexpr std::size_t kMostSteps = 12;
/// An operator with this many elements or more, and more than this many levels before the end of a
/// chain, stays outside: it can run early instead of waiting for the rest of the chain.
constexpr std::int64_t kManyElements = 1 << 14;
constexpr int kNear = 3;

std::vector<ChainStep> steps_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!std::ranges::all_of(node.outputs, [](ValueId output) { return output.valid(); })) return {};
  return chain_steps(call_of(graph, node));
}

/// Whether an operand has as many axes as the result, or elements that lie alike in every order.
bool can_be_operand(const Dims& dims, const Dims& result) {
  if (dims.size() == result.size()) return true;
  return std::ranges::count_if(dims, [](std::int64_t d) { return d != 1; }) <= 1;
}

/// The nodes that become one Chain, which makes the output of the last, the site's anchor.
class Group {
 public:
  explicit Group(const Site& site) : graph_(site.graph), places_(site.places), root_(site.anchor) {
    if (!takes(root_)) return;
    add(root_);
    while (!waiting_.empty()) {
      const NodeId next = waiting_.rbegin()->second;
      waiting_.erase(std::prev(waiting_.end()));
      if (belongs(next)) add(next);
    }
  }

  /// The nodes in the graph's order.
  std::vector<NodeId> nodes() const {
    std::vector<NodeId> nodes;
    for (const auto& [position, id] : nodes_) nodes.push_back(id);
    return nodes;
  }

 private:
  /// Whether the node is elementwise and stays within the bounds with the others.
  bool takes(NodeId id) const {
    const std::size_t steps = steps_of(graph_, id).size();
    if (steps == 0 || steps_ + steps > kMostSteps) return false;
    const Dims& dims = graph_.value(graph_.node(root_).outputs[0]).type.dims;
    std::set<ValueId> inputs = inputs_;
    inputs.erase(graph_.node(id).outputs[0]);
    for (const ValueId input : graph_.node(id).inputs) {
      if (!input.valid()) continue;
      inputs.insert(input);
      if (!can_be_operand(graph_.value(input).type.dims, dims)) return false;
    }
    return inputs.size() <= kMostInputs;
  }

  /// Whether the node's result has the right shape and is read inside the group only.
  bool belongs(NodeId id) const {
    const Node& node = graph_.node(id);
    const ValueId output = node.outputs[0];
    const TensorType& type = graph_.value(output).type;
    if (type != graph_.value(graph_.node(root_).outputs[0]).type || graph_.is_output(output))
      return false;
    for (const NodeId reader : graph_.value(output).consumers)
      if (!contains(reader)) return false;
    const bool near = places_.level(root_) - places_.level(id) <= kNear;
    return (near || element_count(type) < kManyElements) && takes(id);
  }

  void add(NodeId id) {
    nodes_.emplace(places_.position(id), id);
    steps_ += steps_of(graph_, id).size();
    inputs_.erase(graph_.node(id).outputs[0]);
    for (const ValueId input : graph_.node(id).inputs) {
      if (!input.valid()) continue;
      inputs_.insert(input);
      const NodeId producer = graph_.value(input).producer;
      if (producer.valid()) waiting_.emplace(places_.position(producer), producer);
    }
  }

  bool contains(NodeId id) const {
    const auto at = nodes_.find(places_.position(id));
    return at != nodes_.end() && at->second == id;
  }

  const Graph& graph_;
  const NodePlaces& places_;
  NodeId root_;
  std::map<int, NodeId> nodes_;
  std::map<int, NodeId> waiting_;
  std::set<ValueId> inputs_;
  std::size_t steps_ = 0;
};

std::vector<Match> find_group(const Site& site) {
  if (steps_of(site.graph, site.anchor).empty()) return {};
  std::vector<NodeId> nodes = Group(site).nodes();
  if (nodes.size() < 2) return {};
  return {{.anchor = site.anchor, .nodes = std::move(nodes)}};
}

/// What a group reads that it does not make, each once.
std::vector<ValueId> outer_inputs(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<ValueId> inputs;
  for (const NodeId id : nodes)
    for (const ValueId value : graph.node(id).inputs) {
      if (!value.valid() || std::ranges::find(inputs, value) != inputs.end()) continue;
      if (std::ranges::find(nodes, graph.value(value).producer) == nodes.end())
        inputs.push_back(value);
    }
  return inputs;
}

/// The steps of all nodes with the operands of the Chain.
std::vector<ChainStep> joined_steps(const Graph& graph, const std::vector<NodeId>& nodes,
                                    const std::vector<ValueId>& inputs) {
  std::vector<ChainStep> all;
  std::map<ValueId, std::int64_t> operand_of;
  for (const ValueId value : inputs)
    operand_of.emplace(value, static_cast<std::int64_t>(operand_of.size()));
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    const auto before = static_cast<std::int64_t>(inputs.size() + all.size());
    for (ChainStep step : steps_of(graph, id)) {
      for (std::int64_t& operand : step.operands) {
        const auto own = static_cast<std::int64_t>(node.inputs.size());
        operand = operand < own ? operand_of.at(node.inputs[static_cast<std::size_t>(operand)])
                                : before + operand - own;
      }
      all.push_back(std::move(step));
    }
    operand_of.emplace(node.outputs[0], static_cast<std::int64_t>(inputs.size() + all.size()) - 1);
  }
  return all;
}

bool chain_group(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& root = graph.node(match.anchor);
  Node chain;
  chain.op = "Chain";
  chain.name = root.name;
  chain.inputs = outer_inputs(graph, match.nodes);
  chain.attributes = chain_attributes(joined_steps(graph, match.nodes, chain.inputs));
  edit.replace(root.outputs[0],
               edit.add_node(std::move(chain), {graph.value(root.outputs[0]).type})[0]);
  return true;
}

}  // namespace

// The rule begins at the end, so that a group takes in all that lies before it.
Rule fuse_chains() {
  return {.name = "fuse-chains",
          .help = "elementwise operators in a row become one",
          .operators = {},
          .matches = find_group,
          .build = chain_group,
          .from_the_end = true};
}

}  // namespace braid
