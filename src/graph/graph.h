#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <braid/tensor.h>

#include "graph/attributes.h"
#include "graph/ids.h"

namespace braid {

class GraphEdit;

/// One way in which a device may cut a node: its first output, along `axis`, at multiples of
/// `grain` elements.
struct Cut {
  int axis = 0;
  std::int64_t grain = 1;

  bool operator==(const Cut&) const = default;
};

/// What a device decided about a node when it lowered the graph.
struct Lowering {
  std::string implementation;  ///< the kernel's name on that device; empty: not lowered
  std::int64_t scratch_bytes = 0;
  std::vector<Cut> cuts;

  bool operator==(const Lowering&) const = default;
};

struct Node {
  std::string name;  ///< for people; may be empty or repeated
  std::string op;    ///< the name of an OpDef
  Attributes attributes;
  std::vector<ValueId> inputs;   ///< an invalid id is an optional input that is absent
  std::vector<ValueId> outputs;  ///< an invalid id is an output that was not asked for
  Lowering lowering;
};

/// The implementation of a node that does nothing because its outputs already lie in its inputs'
/// bytes (a Reshape of a dense value), or its inputs in its output's (a Concat whose inputs were
/// written into their slices). plan/view.h says which nodes may be views.
inline constexpr std::string_view kViewImplementation = "view";
inline bool is_view(const Node& node) {
  return node.lowering.implementation == kViewImplementation;
}

struct Value {
  std::string name;  ///< unique in the graph, never empty
  TensorType type;
  NodeId producer;                ///< invalid for inputs and constants
  std::vector<NodeId> consumers;  ///< one entry per use, in no order: x + x lists its node twice
  Tensor constant;                ///< defined for constants only
  std::string layout;             ///< of a lowered graph; empty: row-major
  /// Of an input of a graph that is a piece of another: the nodes on the longest path that ends
  /// with it there.
  int level = 0;
};

/// A graph output is a value under a name of its own, so that an output survives when its value is
/// replaced by another (`y = Identity(x)`).
struct GraphOutput {
  std::string name;
  ValueId value;

  bool operator==(const GraphOutput&) const = default;
};

/// A neural network as a directed acyclic graph of operators in which every value is written once.
///
/// Ids stay what they are while the graph lives; removed nodes and values leave holes. A change
/// after construction is a GraphEdit. Every function leaves the graph valid (graph/verify.h says
/// what that means) or throws and leaves it as it was. Not thread-safe while it changes.
class Graph {
 public:
  std::string name;
  int opset = 0;  ///< the ONNX opset the model was written in; 0: none

  ValueId add_input(const std::string& wish, TensorType type);
  ValueId add_constant(const std::string& wish, Tensor constant);
  /// Adds a node whose outputs have the given types. An output whose name is empty or taken gets a
  /// fresh one; an output marked absent (`absent_output()`) is not made.
  NodeId add_node(Node node, const std::vector<TensorType>& types,
                  const std::vector<std::string>& output_names = {});
  /// Throws Model if there is an output of that name.
  void add_output(ValueId value, std::string label = {});

  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<GraphOutput>& outputs() const { return outputs_; }

  const Node& node(NodeId id) const { return nodes_[id.at()].node; }
  const Value& value(ValueId id) const { return values_[id.at()].value; }
  bool alive(NodeId id) const {
    return id.valid() && id.at() < nodes_.size() && nodes_[id.at()].alive;
  }
  bool alive(ValueId id) const {
    return id.valid() && id.at() < values_.size() && values_[id.at()].alive;
  }
  bool is_constant(ValueId id) const { return value(id).constant.defined(); }
  bool is_input(ValueId id) const { return !value(id).producer.valid() && !is_constant(id); }
  bool is_output(ValueId id) const;
  bool has_output(const std::string& called) const { return output_names_.contains(called); }

  /// Live ids in ascending order.
  std::vector<NodeId> node_ids() const;
  std::vector<ValueId> value_ids() const;
  /// Live ids, every node after the producers of its inputs, in the order that the graph itself
  /// keeps. Redirecting uses from a later node to an earlier one leaves that order as it is.
  std::vector<NodeId> nodes_in_order() const;
  std::size_t node_count() const { return live_nodes_; }
  /// One more than the largest id ever used: the size of a table indexed by id.
  std::size_t node_limit() const { return nodes_.size(); }
  std::size_t value_limit() const { return values_.size(); }

  /// Invalid if there is none.
  ValueId find(std::string_view called) const;
  /// `wish`, or `wish_1`, `wish_2`, … if that is taken.
  std::string fresh_name(std::string_view wish) const;

  /// Applies a change (graph/edit.h): adds its nodes and constants, redirects its replaced values
  /// and removes what is not used any more because of it. Throws, naming the edit, and changes
  /// nothing if a type would change or a cycle appear. Takes time in the size of the edit, except
  /// where the order of nodes must be found again.
  void apply(const GraphEdit& edit);

  /// Removes nodes and constants from which no output can be reached. Returns the number of nodes
  /// removed.
  std::size_t remove_dead();

  /// Renames a value. Throws Internal if the name is taken.
  void rename(ValueId value, std::string to);

  /// Set the facts that a device's lowering adds, and the place of an input in a larger graph.
  void set_lowering(NodeId id, Lowering lowering) {
    nodes_[id.at()].node.lowering = std::move(lowering);
  }
  void set_layout(ValueId id, std::string layout) {
    values_[id.at()].value.layout = std::move(layout);
  }
  void set_level(ValueId id, int level) { values_[id.at()].value.level = level; }

 private:
  struct NodeSlot {
    Node node;
    /// A topological label: every node's rank is above those of its inputs' producers.
    double rank = 0;
    bool alive = true;
    std::vector<std::size_t> places = {};  // of each input: where the value lists this use
  };
  struct ValueSlot {
    Value value;
    bool alive = true;
    std::vector<std::size_t> outputs;          // indices of the graph outputs that it is
    std::vector<std::size_t> use_inputs = {};  // of each use: which input of the consumer it is
  };
  struct Use {
    NodeId reader;
    std::size_t input;
  };
  /// The new values of an edit, and whether the ranks of its nodes fail to fit between the others.
  struct Inserted {
    std::vector<ValueId> values;
    bool stale = false;
  };

  ValueId add_value(const std::string& wish, TensorType type);
  NodeId insert(Node node, const std::vector<TensorType>& types,
                const std::vector<std::string>& names);
  void add_use(ValueId value, NodeId reader, std::size_t input);
  void remove_use(NodeId reader, std::size_t input);
  double rank_of(ValueId value) const;
  void check_known(const GraphEdit& edit) const;
  void check_replacements(const GraphEdit& edit) const;
  void check_acyclic(const GraphEdit& edit) const;
  std::vector<std::vector<Use>> replaced_uses(const GraphEdit& edit) const;
  Inserted insert_new(const GraphEdit& edit);
  bool redirect(ValueId old, ValueId with, const std::vector<Use>& uses);
  void remove_replaced(const GraphEdit& edit, const std::vector<ValueId>& heirs);
  void relabel();
  void remove_node(NodeId id);
  void remove_value(ValueId id);
  void remove_if_unused(ValueId value_id);

  std::vector<NodeSlot> nodes_;
  std::vector<ValueSlot> values_;
  std::vector<ValueId> inputs_;
  std::vector<GraphOutput> outputs_;
  std::unordered_map<std::string, ValueId> by_name_;
  std::unordered_set<std::string> output_names_;
  mutable std::unordered_map<std::string, int> next_suffix_;
  std::size_t live_nodes_ = 0;
  double last_rank_ = 0;
};

/// "'conv_3' (Conv)", or by its first output if the node has no name: how messages call a node.
std::string describe(const Graph& graph, NodeId id);

}  // namespace braid
