#include <algorithm>
#include <cmath>

#include "graph/query.h"
#include "ops/shared/elements.h"
#include "rewrite/canonical/rules.h"
#include "tensor/element.h"

namespace braid {
namespace {

using Test = bool (*)(const Graph&, const Node&);

bool always(const Graph&, const Node&) { return true; }

bool has_one_input(const Graph&, const Node& node) { return node.inputs.size() == 1; }
bool has_one_output(const Graph&, const Node& node) { return node.outputs.size() == 1; }

bool is_inference(const Graph& graph, const Node& node) {
  if (node.outputs.size() > 1 && node.outputs[1].valid()) return false;
  if (!input_of(node, 2).valid()) return true;
  const Tensor* training = constant_input(graph, node, 2);
  return training != nullptr && uniform_number(*training) == 0.0;
}

/// Whether all steps are positive: a negative step reverses without changing the shape.
bool steps_forward(const Graph& graph, const Node& node) {
  if (!input_of(node, 4).valid()) return true;
  const auto steps = constant_integers(graph, node, 4);
  return steps && std::all_of(steps->begin(), steps->end(), [](auto step) { return step > 0; });
}

/// Whether all pads are 0: pads of 1 and -1 shift without changing the shape.
bool pads_nothing(const Graph& graph, const Node& node) {
  const auto pads = constant_integers(graph, node, 1);
  return pads && std::all_of(pads->begin(), pads->end(), [](auto pad) { return pad == 0; });
}

bool keeps_order(const Graph& graph, const Node& node) {
  return moves_only_unit_axes(graph.value(node.inputs[0]).type.dims, permutation_of(graph, node));
}

bool bounds_nothing(const Graph&, const Node& node) {
  return !input_of(node, 1).valid() && !input_of(node, 2).valid();
}

bool pools_single_elements(const Graph&, const Node& node) {
  if (node.outputs.size() > 1 && node.outputs[1].valid()) return false;
  const auto all = [&](std::string_view name, std::int64_t wanted) {
    const auto list = node.attributes.integers(name);
    return std::all_of(list.begin(), list.end(), [&](auto x) { return x == wanted; });
  };
  return all("kernel_shape", 1) && all("strides", 1) && all("pads", 0);
}

/// An operator that hands on input 0 when its output has the same type and the test holds.
struct IdentityRow {
  std::string_view op;
  Test test;
};
constexpr IdentityRow kIdentities[] = {
    {"Identity", always},
    {"Dropout", is_inference},
    {"Cast", always},
    {"CastLike", always},
    {"Reshape", always},
    {"Flatten", always},
    {"Squeeze", always},
    {"Unsqueeze", always},
    {"Expand", always},
    {"Tile", always},
    {"Slice", steps_forward},
    {"Pad", pads_nothing},
    {"Transpose", keeps_order},
    {"Concat", has_one_input},
    {"Split", has_one_output},
    {"Sum", has_one_input},
    {"Mean", has_one_input},
    {"Max", has_one_input},
    {"Min", has_one_input},
    {"Clip", bounds_nothing},
    {"MaxPool", pools_single_elements},
    {"AveragePool", pools_single_elements},
};

/// A binary operator that hands on one operand when the other is the given number everywhere.
/// Adding +0 turns -0 into +0, so floats are only ever added to -0; subtracting needs +0.
struct Neutral {
  std::string_view op;
  double number;
  bool either_side;
};
constexpr Neutral kNeutrals[] = {
    {"Mul", 1.0, true},  {"Div", 1.0, false}, {"Pow", 1.0, false},
    {"Add", -0.0, true}, {"Sub", 0.0, false},
};

bool is_neutral(const Tensor& constant, const Neutral& row) {
  const auto number = uniform_number(constant);
  if (!number || *number != row.number) return false;
  return !is_float_type(constant.element()) || std::signbit(*number) == std::signbit(row.number);
}

/// The input that the node's first output equals; invalid if there is none.
ValueId handed_on(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.outputs.empty() || !node.outputs[0].valid()) return {};
  const TensorType& type = graph.value(node.outputs[0]).type;
  const auto fits = [&](ValueId input) { return input.valid() && graph.value(input).type == type; };
  for (const IdentityRow& row : kIdentities)
    if (node.op == row.op && fits(node.inputs[0]) && row.test(graph, node)) return node.inputs[0];
  for (const Neutral& row : kNeutrals) {
    if (node.op != row.op || node.inputs.size() != 2) continue;
    for (std::size_t side = 0; side < (row.either_side ? 2U : 1U); ++side) {
      const Tensor* other = constant_input(graph, node, 1 - side);
      if (other != nullptr && fits(node.inputs[side]) && is_neutral(*other, row))
        return node.inputs[side];
    }
  }
  return {};
}

std::vector<Match> find_identity(const Site& site) {
  const ValueId source = handed_on(site.graph, site.node());
  if (!source.valid()) return {};
  return {{.anchor = site.anchor, .values = {source}}};
}

bool hand_on(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  edit.replace(graph.node(match.anchor).outputs[0], match.values[0]);
  return true;
}

}  // namespace

Rule remove_identities() {
  return {"remove-identities", "drop operators that change nothing", {}, find_identity, hand_on};
}

}  // namespace braid
