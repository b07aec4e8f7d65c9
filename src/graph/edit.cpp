#include "graph/edit.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {

ValueId GraphEdit::add_constant(std::string name, Tensor constant) {
  require(constant.defined(), "a constant needs a tensor");
  const TensorType type = constant.type();
  values_.push_back({std::move(name), std::move(constant), type, -1});
  return ValueId(kProvisional + static_cast<std::int64_t>(values_.size()) - 1);
}

std::vector<ValueId> GraphEdit::add_node(Node node, std::vector<TensorType> types) {
  for (const TensorType& type : types) element_count(type);
  std::vector<ValueId> ids;
  NewNode added{std::move(node), std::move(types), {}};
  for (const TensorType& type : added.types) {
    added.outputs.push_back(static_cast<std::int32_t>(values_.size()));
    values_.push_back({{}, {}, type, static_cast<std::int32_t>(nodes_.size())});
    ids.emplace_back(kProvisional + static_cast<std::int64_t>(values_.size()) - 1);
  }
  nodes_.push_back(std::move(added));
  return ids;
}

void GraphEdit::replace(ValueId old, ValueId with) { replaced_.emplace_back(old, with); }

// A cycle in the edited graph runs through a redirected use: from the replacement to a consumer of
// the replaced value and back. So it is enough to look backwards from each replacement, and only at
// nodes ranked at or above the lowest consumer: the others cannot lie behind one.
void Graph::check_acyclic(const GraphEdit& edit) const {
  std::unordered_map<ValueId, ValueId> redirected;
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& [old, with] : edit.replaced_) {
    redirected.emplace(old, with);
    for (NodeId consumer : value(old).consumers)
      lowest = std::min(lowest, nodes_[consumer.at()].rank);
  }
  for (const auto& [old, with] : edit.replaced_) {
    const std::unordered_set<NodeId> consumers(value(old).consumers.begin(),
                                               value(old).consumers.end());
    std::unordered_set<ValueId> seen;
    std::vector<ValueId> open = {with};
    while (!open.empty()) {
      const ValueId at = open.back();
      open.pop_back();
      if (!seen.insert(at).second) continue;
      const bool is_new = GraphEdit::is_new(at);
      const std::int32_t new_node = is_new ? edit.values_[GraphEdit::new_index(at)].node : -1;
      if (is_new && new_node < 0) continue;
      if (!is_new && rank_of(at) < lowest) continue;
      if (!is_new && !value(at).producer.valid()) continue;
      const Node& node = is_new ? edit.nodes_[static_cast<std::size_t>(new_node)].node
                                : this->node(value(at).producer);
      if (!is_new && consumers.contains(value(at).producer))
        raise(ErrorKind::Internal, fmt::format("edit '{}' would make a cycle through {}",
                                               edit.rule(), describe(*this, value(at).producer)));
      for (ValueId input : node.inputs) {
        if (!input.valid()) continue;
        const auto next = is_new ? redirected.end() : redirected.find(input);
        open.push_back(next == redirected.end() ? input : next->second);
      }
    }
  }
}

void Graph::check_known(const GraphEdit& edit) const {
  const auto type_of = [&](ValueId id) -> const TensorType& {
    return GraphEdit::is_new(id) ? edit.values_[GraphEdit::new_index(id)].type : value(id).type;
  };
  const auto known = [&](ValueId id, std::size_t new_nodes) {
    if (!GraphEdit::is_new(id)) return alive(id);
    const std::size_t index = GraphEdit::new_index(id);
    return index < edit.values_.size() &&
           edit.values_[index].node < static_cast<std::int32_t>(new_nodes);
  };
  for (std::size_t n = 0; n < edit.nodes_.size(); ++n)
    for (ValueId input : edit.nodes_[n].node.inputs)
      if (input.valid() && !known(input, n))
        raise(ErrorKind::Internal,
              fmt::format("edit '{}' reads a value that does not exist", edit.rule()));
  for (const auto& [old, with] : edit.replaced_) {
    if (!known(old, 0) || GraphEdit::is_new(old) || !known(with, edit.nodes_.size()) || old == with)
      raise(ErrorKind::Internal,
            fmt::format("edit '{}' replaces a value that does not exist", edit.rule()));
    if (type_of(old) != type_of(with))
      raise(ErrorKind::Internal,
            fmt::format("edit '{}' replaces {} of type {} by a value of type {}", edit.rule(),
                        quote(value(old).name), to_string(type_of(old)), to_string(type_of(with))));
  }
}

// Replacements happen at the same time, so none may undo or extend another.
void Graph::check_replacements(const GraphEdit& edit) const {
  std::unordered_set<ValueId> replaced;
  for (const auto& [old, with] : edit.replaced_)
    if (!replaced.insert(old).second)
      raise(ErrorKind::Internal,
            fmt::format("edit '{}' replaces {} twice", edit.rule(), quote(value(old).name)));
  for (const auto& [old, with] : edit.replaced_)
    if (replaced.contains(with))
      raise(ErrorKind::Internal,
            fmt::format("edit '{}' replaces {} and also puts it in the place of another value",
                        edit.rule(), quote(value(with).name)));
}

// Nodes of the edit may read what it replaces; only uses that are older than these are redirected.
std::vector<std::vector<Graph::Use>> Graph::replaced_uses(const GraphEdit& edit) const {
  std::vector<std::vector<Use>> uses(edit.replaced_.size());
  for (std::size_t r = 0; r < uses.size(); ++r) {
    const ValueSlot& old = values_[edit.replaced_[r].first.at()];
    for (std::size_t i = 0; i < old.use_inputs.size(); ++i)
      uses[r].push_back({old.value.consumers[i], old.use_inputs[i]});
  }
  return uses;
}

// New nodes are ranked below all that will read them.
Graph::Inserted Graph::insert_new(const GraphEdit& edit) {
  double upper = std::numeric_limits<double>::infinity();
  for (const auto& [old, with] : edit.replaced_)
    for (NodeId consumer : value(old).consumers)
      upper = std::min(upper, nodes_[consumer.at()].rank);

  Inserted made{std::vector<ValueId>(edit.values_.size())};
  for (std::size_t i = 0; i < edit.values_.size(); ++i)
    if (edit.values_[i].node < 0)
      made.values[i] = add_constant(edit.values_[i].name, edit.values_[i].constant);

  for (const GraphEdit::NewNode& added : edit.nodes_) {
    Node node = added.node;
    double lower = 0;
    for (ValueId& input : node.inputs) {
      if (!input.valid()) continue;
      if (GraphEdit::is_new(input)) input = made.values[GraphEdit::new_index(input)];
      lower = std::max(lower, rank_of(input));
    }
    const NodeId id = insert(std::move(node), added.types, {});
    for (std::size_t i = 0; i < added.outputs.size(); ++i)
      made.values[static_cast<std::size_t>(added.outputs[i])] = nodes_[id.at()].node.outputs[i];
    if (upper < std::numeric_limits<double>::infinity())
      nodes_[id.at()].rank = lower + (upper - lower) / 2;
    made.stale |= nodes_[id.at()].rank <= lower || nodes_[id.at()].rank >= upper;
  }
  return made;
}

/// Redirects the uses. True if a reader is not ranked above what it reads now.
bool Graph::redirect(ValueId old, ValueId with, const std::vector<Use>& uses) {
  bool stale = false;
  for (const Use& use : uses) {
    remove_use(use.reader, use.input);
    add_use(with, use.reader, use.input);
    stale |= rank_of(with) >= nodes_[use.reader.at()].rank;
  }
  for (std::size_t output : values_[old.at()].outputs) {
    outputs_[output].value = with;
    values_[with.at()].outputs.push_back(output);
  }
  values_[old.at()].outputs.clear();
  return stale;
}

// The heir of a removed value takes its name if the heir is new. One removal may take several
// replaced values along: the outputs of one node.
void Graph::remove_replaced(const GraphEdit& edit, const std::vector<ValueId>& heirs) {
  std::vector<std::string> names;
  for (const auto& [old, with] : edit.replaced_) names.push_back(value(old).name);
  for (std::size_t r = 0; r < heirs.size(); ++r) {
    const auto [old, with] = edit.replaced_[r];
    if (alive(old)) remove_if_unused(old);
    if (GraphEdit::is_new(with) && alive(heirs[r]) && !by_name_.contains(names[r]))
      rename(heirs[r], names[r]);
  }
}

void Graph::apply(const GraphEdit& edit) {
  check_known(edit);
  check_replacements(edit);
  check_acyclic(edit);
  const std::vector<std::vector<Use>> uses = replaced_uses(edit);
  const Inserted made = insert_new(edit);
  bool stale = made.stale;
  std::vector<ValueId> heirs;
  for (std::size_t r = 0; r < uses.size(); ++r) {
    const auto [old, with] = edit.replaced_[r];
    heirs.push_back(GraphEdit::is_new(with) ? made.values[GraphEdit::new_index(with)] : with);
    stale |= redirect(old, heirs.back(), uses[r]);
  }
  remove_replaced(edit, heirs);
  for (ValueId id : made.values)
    if (id.valid() && alive(id)) remove_if_unused(id);
  if (stale) relabel();
}

}  // namespace braid
