#include "onnx/exporter.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/order.h"
#include "onnx/attribute_writer.h"
#include "onnx/export_names.h"
#include "onnx/export_table.h"
#include "onnx/load.h"
#include "ops/builder.h"
#include "ops/catalog.h"

namespace braid::onnx {
namespace {

constexpr int kUsualOpset = 17;

/// The IR version that came with an opset. Before version 4 an initialiser had to be an input too,
/// so nothing older is written.
int ir_version_of(int opset) {
  constexpr std::array kOpsetOfIr = {std::pair{4, 10},  std::pair{6, 11},  std::pair{7, 14},
                                     std::pair{8, 18},  std::pair{9, 20},  std::pair{10, 22},
                                     std::pair{11, 23}, std::pair{12, 24}, std::pair{13, 27}};
  for (const auto& [ir, last_opset] : kOpsetOfIr)
    if (opset <= last_opset) return ir;
  return kNewestIr;
}

bool needs_expansion(const Node& node, int opset) {
  const OpDef& def = op_def(node.op);
  return def.needs_expansion != nullptr && def.needs_expansion(node, opset);
}

/// The graph in operators of this opset, as far as they have an expansion.
Graph expanded(Graph graph, int opset) {
  std::vector<NodeId> pending = graph.node_ids();
  while (!pending.empty()) {
    const std::size_t first_new = graph.node_limit();
    for (NodeId id : pending)
      if (graph.alive(id) && needs_expansion(graph.node(id), opset))
        graph.apply(op_def(graph.node(id).op).expand(graph, id));
    pending.clear();
    for (std::size_t i = first_new; i < graph.node_limit(); ++i)
      if (const NodeId id(static_cast<std::int64_t>(i)); graph.alive(id)) pending.push_back(id);
  }
  return graph;
}

class Exporter {
 public:
  Exporter(const Graph& graph, int opset) : graph_(graph), opset_(opset), names_(graph) {}

  ExportedModel run() && {
    result_.model.set_ir_version(ir_version_of(opset_));
    result_.model.set_producer_name("braid");
    result_.model.add_opset_import()->set_version(opset_);
    to_ = result_.model.mutable_graph();
    to_->set_name(graph_.name.empty() ? "graph" : graph_.name);
    for (ValueId input : graph_.inputs())
      write_value_info(names_.of(input), graph_.value(input).type, *to_->add_input());
    for (NodeId id : topological_order(graph_))
      with_note([&] { return "while writing " + describe(graph_, id); }, [&] { add_node(id); });
    add_outputs();
    add_constants();
    add_value_infos();
    return std::move(result_);
  }

 private:
  void add_node(NodeId id) {
    const Node& node = graph_.node(id);
    Export e{.graph = graph_,
             .original = node,
             .opset = opset_,
             .node = plain(node),
             .before = {},
             .after = {},
             .constants = {},
             .fresh_name = [this](const std::string& wish) { return names_.fresh(wish); },
             .known_values = [this]() -> const KnownValues& {
               if (!known_) known_ = known_values(graph_);
               return *known_;
             }};
    translate(e);
    for (const ExportNode& helper : e.before) write(helper);
    write(e.node);
    for (const ExportNode& helper : e.after) write(helper);
    for (auto& constant : e.constants) result_.initialisers.push_back(std::move(constant));
  }

  ExportNode plain(const Node& node) const {
    ExportNode made;
    made.name = node.name;
    made.op = node.op;
    made.attributes = node.attributes;
    // A single integer counts as a list in a Graph, but not in ONNX.
    for (const AttributeDef& attribute : op_def(node.op).attributes)
      if (attribute.kind == AttributeKind::Integers && made.attributes.has(attribute.name))
        made.attributes.set(attribute.name, made.attributes.integers(attribute.name));
    for (ValueId input : node.inputs)
      made.inputs.push_back(input.valid() ? names_.of(input) : std::string());
    while (!made.inputs.empty() && made.inputs.back().empty()) made.inputs.pop_back();
    for (ValueId output : node.outputs)
      made.outputs.push_back(output.valid() ? names_.of(output) : std::string());
    while (made.outputs.size() > 1 && made.outputs.back().empty()) made.outputs.pop_back();
    return made;
  }

  /// ONNX Runtime refuses models in which two nodes have the same name.
  std::string unique_node_name(const std::string& wish) {
    const auto [known, is_new] = node_names_.try_emplace(wish, 0);
    if (is_new) return wish;
    int& suffix = known->second;
    std::string name;
    do name = fmt::format("{}_{}", wish, ++suffix);
    while (!node_names_.try_emplace(name, 0).second);
    return name;
  }

  void write(const ExportNode& node) {
    proto::NodeProto& to = *to_->add_node();
    if (!node.name.empty()) to.set_name(unique_node_name(node.name));
    to.set_op_type(node.op);
    for (const auto& [name, value] : node.attributes)
      write_attribute(name, value, *to.add_attribute());
    for (const auto& input : node.inputs) {
      to.add_input(input);
      used_.insert(input);
    }
    for (const auto& output : node.outputs) to.add_output(output);
  }

  void add_outputs() {
    for (const auto& copy : names_.copies())
      write({.name = {},
             .op = "Identity",
             .attributes = {},
             .inputs = {names_.of(copy.from)},
             .outputs = {copy.name}});
    for (const GraphOutput& output : graph_.outputs()) {
      write_value_info(output.name, graph_.value(output.value).type, *to_->add_output());
      used_.insert(output.name);
    }
  }

  /// Constants that became attributes are not needed any more.
  void add_constants() {
    for (ValueId id : graph_.value_ids())
      if (graph_.is_constant(id) && used_.contains(names_.of(id)))
        result_.initialisers.emplace_back(names_.of(id), graph_.value(id).constant);
  }

  void add_value_infos() {
    for (ValueId id : graph_.value_ids())
      if (graph_.value(id).producer.valid() && !graph_.is_output(id))
        write_value_info(names_.of(id), graph_.value(id).type, *to_->add_value_info());
  }

  const Graph& graph_;
  int opset_;
  ExportNames names_;
  ExportedModel result_;
  proto::GraphProto* to_ = nullptr;
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> node_names_;  // the last suffix that each was given
  std::optional<KnownValues> known_;
};

}  // namespace

ExportedModel export_model(const Graph& graph, int opset) {
  if (opset != 0 && (opset < kOldestOpset || opset > kNewestOpset))
    raise(ErrorKind::Usage, fmt::format("opset {} cannot be written; opsets {} to {} can", opset,
                                        kOldestOpset, kNewestOpset));
  if (opset != 0) return Exporter(expanded(graph, opset), opset).run();
  std::optional<Error> first;
  for (int o = graph.opset == 0 ? kUsualOpset : graph.opset; o <= kNewestOpset; ++o) {
    try {
      return Exporter(expanded(graph, o), o).run();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Unsupported) throw;
      if (!first) first = error;
    }
  }
  throw std::move(*first);
}

}  // namespace braid::onnx
