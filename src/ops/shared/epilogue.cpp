#include "ops/shared/epilogue.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "ops/catalog.h"
#include "ops/shared/expansion.h"

namespace braid {
namespace {

struct ActivationRow {
  const OpDef* op = nullptr;  // that does the same alone
  const ActivationDef* activation = nullptr;
};

const std::vector<ActivationRow>& activation_rows() {
  static const auto rows = [] {
    std::vector<ActivationRow> all;
    for (const OpDef& op : catalog())
      for (const ActivationDef& activation : op.activations) all.push_back({&op, &activation});
    return all;
  }();
  return rows;
}

ActivationRow row_of(const Attributes& attributes) {
  const std::string text = attributes.text("activation", "");
  if (text.empty()) return {};
  for (const ActivationRow& row : activation_rows())
    if (row.activation->name == text) return row;
  raise(ErrorKind::Model, fmt::format("attribute 'activation' is {}, expected one of {}",
                                      quote(text), fmt::join(activation_names(), ", ")));
}

bool is_clip(const ActivationNode& node) { return node.op == "Clip"; }

bool takes_residual(const Node& node) { return node.op != "BatchNormalization"; }

ValueId plain(Expansion& expansion) {
  const Node& node = expansion.node();
  Attributes attributes = node.attributes;
  for (std::string_view ours : {"activation", "activation_alpha", "activation_beta"})
    attributes.erase(ours);
  std::vector<ValueId> inputs = node.inputs;
  if (takes_residual(node))
    inputs.resize(std::min(inputs.size(),
                           node.op == "MatMul" ? Epilogue::kBiasInput : Epilogue::kResidualInput));
  while (!inputs.back().valid()) inputs.pop_back();
  return expansion.add(node.op, std::move(inputs), std::move(attributes), node.name);
}

ValueId added(Expansion& expansion, ValueId x, std::size_t input) {
  const std::vector<ValueId>& inputs = expansion.node().inputs;
  const bool present = inputs.size() > input && inputs[input].valid();
  return present ? expansion.add("Add", {x, inputs[input]}) : x;
}

ValueId activated(Expansion& e, ValueId x) {
  const auto node = activation_node(e.node().attributes);
  if (!node) return x;
  if (!is_clip(*node)) return e.add(node->op, {x}, node->attributes);
  return e.add("Clip", {x, node->low ? e.number(*node->low) : ValueId(),
                        node->high ? e.number(*node->high) : ValueId()});
}

}  // namespace

std::optional<ActivationNode> activation_node(const Attributes& attributes) {
  const Epilogue epilogue = read_epilogue(attributes);
  if (epilogue.activation == nullptr) return std::nullopt;
  ActivationNode node{row_of(attributes).op->name, epilogue.activation->form};
  if (is_clip(node)) {
    if (!std::isinf(epilogue.alpha)) node.low = epilogue.alpha;
    if (!std::isinf(epilogue.beta)) node.high = epilogue.beta;
    return node;
  }
  if (epilogue.activation->alpha) node.attributes.set("alpha", epilogue.alpha);
  if (epilogue.activation->beta) node.attributes.set("beta", epilogue.beta);
  return node;
}

std::vector<AttributeDef> with_epilogue_attributes(std::vector<AttributeDef> own) {
  own.push_back({"activation", AttributeKind::Text});
  own.push_back({"activation_alpha", AttributeKind::Real});
  own.push_back({"activation_beta", AttributeKind::Real});
  return own;
}

Epilogue read_epilogue(const Attributes& attributes) {
  Epilogue epilogue;
  epilogue.activation = row_of(attributes).activation;
  const auto number = [&](std::string_view name, const std::optional<float>& otherwise) {
    return attributes.real(name, otherwise.value_or(0));
  };
  if (epilogue.activation != nullptr) {
    epilogue.alpha = number("activation_alpha", epilogue.activation->alpha);
    epilogue.beta = number("activation_beta", epilogue.activation->beta);
  }
  if (std::isnan(epilogue.alpha) || std::isnan(epilogue.beta))
    raise(ErrorKind::Model, "an attribute of the activation is not a number");
  return epilogue;
}

Epilogue read_epilogue(const OpCall& call) {
  Epilogue epilogue = read_activation(call);
  epilogue.bias = call.has(Epilogue::kBiasInput);
  epilogue.residual = call.has(Epilogue::kResidualInput);
  return epilogue;
}

Epilogue read_activation(const OpCall& call) {
  const Epilogue epilogue = read_epilogue(*call.attributes);
  const ElementType element = call.input(0).element;
  if (epilogue.activation != nullptr && !is_float_type(element) &&
      !epilogue.activation->on_integers)
    raise(ErrorKind::Unsupported,
          fmt::format("activation '{}' of {} is not defined on elements of type {}",
                      epilogue.activation->name, call.op, name(element)));
  return epilogue;
}

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const ActivationRow& row : activation_rows()) names.emplace_back(row.activation->name);
  return names;
}

std::optional<std::size_t> weight_axis(const Graph& graph, const Node& node) {
  const OpDef* def = find_op(node.op);
  if (def == nullptr || !def->weight_axis) return std::nullopt;
  if (*def->weight_axis >= 0) return static_cast<std::size_t>(*def->weight_axis);
  // A product with a vector has no such axis.
  for (const std::size_t i : {0U, 1U})
    if (graph.value(node.inputs[i]).type.dims.size() < 2) return std::nullopt;
  const auto rank = static_cast<int>(graph.value(node.outputs[0]).type.dims.size());
  return static_cast<std::size_t>(rank + *def->weight_axis);
}

void check_residual(const OpCall& call, const TensorType& output) {
  if (call.has(Epilogue::kResidualInput) && call.input(Epilogue::kResidualInput) != output)
    raise(ErrorKind::Model,
          fmt::format("the residual of {} has type {}, expected the output's {}", call.op,
                      to_string(call.input(Epilogue::kResidualInput)), to_string(output)));
}

double epilogue_flops(const OpCall& call) {
  const Epilogue epilogue = read_epilogue(call);
  return (epilogue.bias ? 1 : 0) + (epilogue.residual ? 1 : 0) +
         (epilogue.activation != nullptr ? 1 : 0);
}

bool has_epilogue(const Node& node) {
  const auto present = [&](std::size_t i) {
    return node.inputs.size() > i && node.inputs[i].valid();
  };
  return node.attributes.has("activation") || node.attributes.has("activation_alpha") ||
         node.attributes.has("activation_beta") ||
         (takes_residual(node) && present(Epilogue::kResidualInput)) ||
         (node.op == "MatMul" && present(Epilogue::kBiasInput));
}

GraphEdit expand_epilogue(const Graph& graph, NodeId id) {
  Expansion expansion(graph, id);
  ValueId x = plain(expansion);
  if (expansion.node().op == "MatMul") x = added(expansion, x, Epilogue::kBiasInput);
  if (takes_residual(expansion.node())) x = added(expansion, x, Epilogue::kResidualInput);
  return expansion.finish(activated(expansion, x));
}

}  // namespace braid
