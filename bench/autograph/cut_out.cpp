#include "cut_out.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace braid::autograph_table {
namespace {

class CutOut {
 public:
  CutOut(const Graph& graph, std::string_view beginning) : graph_(graph), beginning_(beginning) {
    piece_.name = beginning;
    piece_.opset = graph.opset;
  }

  Graph run() {
    for (const NodeId id : graph_.nodes_in_order())
      if (belongs(id)) copy(id);
    for (const ValueId value : copied_outputs_)
      if (is_read_outside(value)) piece_.add_output(copies_.at(value));
    return std::move(piece_);
  }

 private:
  bool belongs(NodeId id) const { return graph_.node(id).name.starts_with(beginning_); }

  bool is_read_outside(ValueId value) const {
    const auto& readers = graph_.value(value).consumers;
    return graph_.is_output(value) ||
           std::ranges::any_of(readers, [&](NodeId reader) { return !belongs(reader); });
  }

  ValueId copy_of(ValueId id) {
    if (!id.valid()) return id;
    const auto found = copies_.find(id);
    if (found != copies_.end()) return found->second;
    const Value& value = graph_.value(id);
    const ValueId made = graph_.is_constant(id) ? piece_.add_constant(value.name, value.constant)
                                                : piece_.add_input(value.name, value.type);
    return copies_[id] = made;
  }

  void copy(NodeId id) {
    Node node = graph_.node(id);
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (ValueId& input : node.inputs) input = copy_of(input);
    for (const ValueId output : node.outputs) {
      types.push_back(graph_.value(output).type);
      names.push_back(graph_.value(output).name);
    }
    const std::vector<ValueId> outputs = std::move(node.outputs);
    node.outputs.clear();
    const NodeId made = piece_.add_node(std::move(node), types, names);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      copies_[outputs[i]] = piece_.node(made).outputs[i];
      copied_outputs_.push_back(outputs[i]);
    }
  }

  const Graph& graph_;
  std::string_view beginning_;
  Graph piece_;
  std::unordered_map<ValueId, ValueId> copies_;
  std::vector<ValueId> copied_outputs_;
};

}  // namespace

Graph cut_out(const Graph& graph, std::string_view beginning) {
  return CutOut(graph, beginning).run();
}

}  // namespace braid::autograph_table
