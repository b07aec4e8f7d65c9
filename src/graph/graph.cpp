#include "graph/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/order.h"

namespace braid {

ValueId Graph::add_value(const std::string& wish, TensorType type) {
  element_count(type);
  const ValueId id(static_cast<std::int64_t>(values_.size()));
  Value value;
  value.name = fresh_name(wish.empty() ? "value" : wish);
  value.type = std::move(type);
  by_name_.emplace(value.name, id);
  values_.push_back({std::move(value), true, {}});
  return id;
}

ValueId Graph::add_input(const std::string& wish, TensorType type) {
  const ValueId id = add_value(wish, std::move(type));
  inputs_.push_back(id);
  return id;
}

ValueId Graph::add_constant(const std::string& wish, Tensor constant) {
  require(constant.defined(), "a constant needs a tensor");
  const ValueId id = add_value(wish, constant.type());
  values_[id.at()].value.constant = std::move(constant);
  return id;
}

NodeId Graph::add_node(Node node, const std::vector<TensorType>& types,
                       const std::vector<std::string>& output_names) {
  for (ValueId input : node.inputs)
    require(!input.valid() || alive(input), "a new node reads a value that is not in the graph");
  for (const TensorType& type : types) element_count(type);
  return insert(std::move(node), types, output_names);
}

NodeId Graph::insert(Node node, const std::vector<TensorType>& types,
                     const std::vector<std::string>& names) {
  const NodeId id(static_cast<std::int64_t>(nodes_.size()));
  // Outputs that the caller marked absent stay absent.
  node.outputs.resize(types.size(), ValueId(0));
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    std::string wish = i < names.size() ? names[i] : std::string();
    if (wish.empty()) wish = node.name.empty() ? node.op : node.name;
    node.outputs[i] = add_value(wish, types[i]);
    values_[node.outputs[i].at()].value.producer = id;
  }
  last_rank_ += 1;
  nodes_.push_back({std::move(node), last_rank_});
  ++live_nodes_;
  const std::vector<ValueId> inputs = this->node(id).inputs;
  nodes_[id.at()].places.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].valid()) add_use(inputs[i], id, i);
  return id;
}

void Graph::add_use(ValueId value, NodeId reader, std::size_t input) {
  ValueSlot& slot = values_[value.at()];
  nodes_[reader.at()].node.inputs[input] = value;
  nodes_[reader.at()].places[input] = slot.use_inputs.size();
  slot.value.consumers.push_back(reader);
  slot.use_inputs.push_back(input);
}

// The last use takes the place of the one that goes, so that a value with many uses costs no more.
void Graph::remove_use(NodeId reader, std::size_t input) {
  const std::size_t place = nodes_[reader.at()].places[input];
  ValueSlot& slot = values_[nodes_[reader.at()].node.inputs[input].at()];
  slot.value.consumers[place] = slot.value.consumers.back();
  slot.use_inputs[place] = slot.use_inputs.back();
  nodes_[slot.value.consumers[place].at()].places[slot.use_inputs[place]] = place;
  slot.value.consumers.pop_back();
  slot.use_inputs.pop_back();
}

void Graph::add_output(ValueId value, std::string label) {
  require(alive(value), "a graph output is a value of the graph");
  if (label.empty()) label = this->value(value).name;
  if (!output_names_.insert(label).second)
    raise(ErrorKind::Model, fmt::format("output {} is listed twice", quote(label)));
  values_[value.at()].outputs.push_back(outputs_.size());
  outputs_.push_back({std::move(label), value});
}

bool Graph::is_output(ValueId id) const { return !values_[id.at()].outputs.empty(); }

std::vector<NodeId> Graph::node_ids() const {
  std::vector<NodeId> ids;
  ids.reserve(live_nodes_);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].alive) ids.emplace_back(static_cast<std::int64_t>(i));
  return ids;
}

std::vector<ValueId> Graph::value_ids() const {
  std::vector<ValueId> ids;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (values_[i].alive) ids.emplace_back(static_cast<std::int64_t>(i));
  return ids;
}

std::vector<NodeId> Graph::nodes_in_order() const {
  std::vector<NodeId> ids = node_ids();
  std::sort(ids.begin(), ids.end(), [&](NodeId a, NodeId b) {
    return std::pair(nodes_[a.at()].rank, a) < std::pair(nodes_[b.at()].rank, b);
  });
  return ids;
}

ValueId Graph::find(std::string_view called) const {
  const auto found = by_name_.find(std::string(called));
  return found == by_name_.end() ? ValueId() : found->second;
}

std::string Graph::fresh_name(std::string_view wish) const {
  std::string candidate(wish);
  if (!by_name_.contains(candidate)) return candidate;
  int& suffix = next_suffix_[candidate];
  do {
    candidate = fmt::format("{}_{}", wish, ++suffix);
  } while (by_name_.contains(candidate));
  return candidate;
}

void Graph::rename(ValueId value, std::string to) {
  if (this->value(value).name == to) return;
  require(!by_name_.contains(to) && !to.empty(), "a value's new name is free");
  by_name_.erase(this->value(value).name);
  by_name_.emplace(to, value);
  values_[value.at()].value.name = std::move(to);
}

double Graph::rank_of(ValueId value) const {
  const NodeId producer = this->value(value).producer;
  return producer.valid() ? nodes_[producer.at()].rank : 0;
}

void Graph::relabel() {
  last_rank_ = 0;
  for (NodeId id : topological_order(*this)) nodes_[id.at()].rank = ++last_rank_;
}

void Graph::remove_value(ValueId id) {
  ValueSlot& slot = values_[id.at()];
  by_name_.erase(slot.value.name);
  slot.value = Value{};
  slot.use_inputs.clear();
  slot.alive = false;
}

void Graph::remove_node(NodeId id) {
  NodeSlot& slot = nodes_[id.at()];
  for (ValueId output : slot.node.outputs)
    if (output.valid()) remove_value(output);
  slot.node = Node{};
  slot.places.clear();
  slot.alive = false;
  --live_nodes_;
}

void Graph::remove_if_unused(ValueId value_id) {
  std::vector<ValueId> candidates = {value_id};
  while (!candidates.empty()) {
    const ValueId id = candidates.back();
    candidates.pop_back();
    if (!alive(id) || !value(id).consumers.empty() || is_output(id)) continue;
    const NodeId producer = value(id).producer;
    if (!producer.valid()) {
      if (is_constant(id)) remove_value(id);
      continue;
    }
    const auto& outputs = node(producer).outputs;
    const bool used = std::any_of(outputs.begin(), outputs.end(), [&](ValueId output) {
      return output.valid() && (!value(output).consumers.empty() || is_output(output));
    });
    if (used) continue;
    for (std::size_t i = 0; i < node(producer).inputs.size(); ++i) {
      const ValueId input = node(producer).inputs[i];
      if (!input.valid()) continue;
      remove_use(producer, i);
      candidates.push_back(input);
    }
    remove_node(producer);
  }
}

std::size_t Graph::remove_dead() {
  const std::size_t before = live_nodes_;
  for (std::size_t i = values_.size(); i-- > 0;)
    if (values_[i].alive) remove_if_unused(ValueId(static_cast<std::int64_t>(i)));
  // A node none of whose outputs were asked for has no value to be found by.
  for (NodeId id : node_ids()) {
    const auto& outputs = node(id).outputs;
    if (std::any_of(outputs.begin(), outputs.end(), [](ValueId v) { return v.valid(); })) continue;
    const std::vector<ValueId> inputs = node(id).inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].valid()) remove_use(id, i);
    remove_node(id);
    for (ValueId input : inputs)
      if (input.valid()) remove_if_unused(input);
  }
  return before - live_nodes_;
}

std::string describe(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::string name = node.name;
  if (name.empty() && !node.outputs.empty() && node.outputs[0].valid())
    name = graph.value(node.outputs[0]).name;
  return fmt::format("{} ({})", quote(name), printable(node.op));
}

}  // namespace braid
