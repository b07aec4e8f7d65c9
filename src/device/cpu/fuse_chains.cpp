#include "device/cpu/fuse_chains.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "graph/edit.h"
#include "ops/call.h"
#include "ops/chain.h"

namespace braid::cpu {
namespace {

constexpr std::size_t kMostInputs = 8;
constexpr std::size_t kMostSteps = 12;
/// An operator of so many elements that can run this many nodes earlier than the end of a chain
/// would wait in vain.
constexpr std::int64_t kManyElements = 1 << 14;
constexpr int kNear = 3;

/// Facts about the nodes of a graph that stays as it is, by id.
struct NodeFacts {
  std::vector<std::vector<ChainStep>> steps;
  std::vector<int> level;     ///< nodes on the longest path that ends there
  std::vector<int> position;  ///< in the graph's order

  explicit NodeFacts(const Graph& graph)
      : steps(graph.node_limit()), level(graph.node_limit(), 0), position(graph.node_limit(), 0) {
    int place = 0;
    for (const NodeId id : graph.nodes_in_order()) {
      const Node& node = graph.node(id);
      position[id.at()] = place++;
      for (const ValueId input : node.inputs)
        if (input.valid() && graph.value(input).producer.valid())
          level[id.at()] = std::max(level[id.at()], level[graph.value(input).producer.at()]);
      ++level[id.at()];
      if (std::ranges::all_of(node.outputs, [](ValueId v) { return v.valid(); }))
        steps[id.at()] = chain_steps(call_of(graph, node));
    }
  }
};

/// An operand that has the shape of the result, or whose elements lie alike in every order of axes.
bool can_be_operand(const Dims& dims, const Dims& result) {
  if (dims.size() == result.size()) return true;
  return std::ranges::count_if(dims, [](std::int64_t d) { return d != 1; }) <= 1;
}

/// The nodes that become one Chain, which makes the first one's output.
class Group {
 public:
  Group(const Graph& graph, const NodeFacts& facts, NodeId root)
      : graph_(graph), facts_(facts), root_(root) {
    if (!takes(root)) return;
    add(root);
    while (!waiting_.empty()) {
      const NodeId next = waiting_.rbegin()->second;
      waiting_.erase(std::prev(waiting_.end()));
      if (belongs(next)) add(next);
    }
  }

  std::size_t size() const { return nodes_.size(); }
  /// In the graph's order.
  std::vector<NodeId> nodes() const {
    std::vector<NodeId> nodes;
    for (const auto& [position, id] : nodes_) nodes.push_back(id);
    return nodes;
  }

  GraphEdit edit() const {
    std::vector<ValueId> inputs;
    for (const auto& [position, id] : nodes_)
      for (const ValueId value : graph_.node(id).inputs)
        if (value.valid() && !is_inside(value) && std::ranges::find(inputs, value) == inputs.end())
          inputs.push_back(value);
    Node chain;
    chain.op = "Chain";
    chain.name = graph_.node(root_).name;
    chain.attributes = chain_attributes(joined_steps(inputs));
    chain.inputs = inputs;
    const ValueId output = graph_.node(root_).outputs[0];
    GraphEdit edit("fuse-chains");
    edit.replace(output, edit.add_node(std::move(chain), {graph_.value(output).type})[0]);
    return edit;
  }

 private:
  bool is_inside(ValueId value) const {
    const NodeId producer = graph_.value(value).producer;
    return producer.valid() && nodes_.contains(facts_.position[producer.at()]);
  }

  /// Whether the node is elementwise and stays within the bounds with the others.
  bool takes(NodeId id) const {
    const std::vector<ChainStep>& steps = facts_.steps[id.at()];
    if (steps.empty() || steps_ + steps.size() > kMostSteps) return false;
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
      if (!nodes_.contains(facts_.position[reader.at()])) return false;
    const bool near = facts_.level[root_.at()] - facts_.level[id.at()] <= kNear;
    return (near || element_count(type) < kManyElements) && takes(id);
  }

  void add(NodeId id) {
    nodes_.emplace(facts_.position[id.at()], id);
    steps_ += facts_.steps[id.at()].size();
    inputs_.erase(graph_.node(id).outputs[0]);
    for (const ValueId input : graph_.node(id).inputs) {
      if (!input.valid()) continue;
      inputs_.insert(input);
      const NodeId producer = graph_.value(input).producer;
      if (producer.valid() && !facts_.steps[producer.at()].empty())
        waiting_.emplace(facts_.position[producer.at()], producer);
    }
  }

  /// The steps of all nodes with the operands of the Chain.
  std::vector<ChainStep> joined_steps(const std::vector<ValueId>& inputs) const {
    std::vector<ChainStep> all;
    std::map<ValueId, std::int64_t> operand_of;
    for (const ValueId value : inputs)
      operand_of.emplace(value, static_cast<std::int64_t>(operand_of.size()));
    for (const auto& [position, id] : nodes_) {
      const Node& node = graph_.node(id);
      const auto before = static_cast<std::int64_t>(inputs.size() + all.size());
      for (ChainStep step : facts_.steps[id.at()]) {
        for (std::int64_t& operand : step.operands) {
          const auto own = static_cast<std::int64_t>(node.inputs.size());
          operand = operand < own ? operand_of.at(node.inputs[static_cast<std::size_t>(operand)])
                                  : before + operand - own;
        }
        all.push_back(std::move(step));
      }
      operand_of.emplace(node.outputs[0],
                         static_cast<std::int64_t>(inputs.size() + all.size()) - 1);
    }
    return all;
  }

  const Graph& graph_;
  const NodeFacts& facts_;
  NodeId root_;
  std::map<int, NodeId> nodes_;
  std::map<int, NodeId> waiting_;
  std::set<ValueId> inputs_;
  std::size_t steps_ = 0;
};

}  // namespace

Graph fuse_chains(Graph graph) {
  const NodeFacts facts(graph);
  const std::vector<NodeId> order = graph.nodes_in_order();
  std::vector<GraphEdit> edits;
  std::vector<char> taken(graph.node_limit(), 0);
  // From the end: an edit reads values that those after it replace.
  for (const NodeId id : std::views::reverse(order)) {
    if (taken[id.at()] != 0 || facts.steps[id.at()].empty()) continue;
    const Group group(graph, facts, id);
    if (group.size() < 2) continue;
    for (const NodeId node : group.nodes()) taken[node.at()] = 1;
    edits.push_back(group.edit());
  }
  for (const GraphEdit& edit : edits) graph.apply(edit);
  return graph;
}

}  // namespace braid::cpu
