#include <optional>

#include "ops/shared/elements.h"
#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"
#include "rewrite/canonical/rules.h"
#include "tensor/element.h"

namespace braid {
namespace {

/// The reshape that alone reads a Gemm's result and keeps its last axis; invalid if there is none.
NodeId reshape_after(const Graph& graph, const Node& gemm) {
  const ValueId result = gemm.outputs[0];
  if (!has_single_use(graph, result)) return {};
  const NodeId reader = graph.value(result).consumers[0];
  if (!only_renames_dims(graph.node(reader)) || graph.node(reader).inputs[0] != result) return {};
  const Dims& dims = graph.value(graph.node(reader).outputs[0]).type.dims;
  return dims.size() > 2 && dims.back() == graph.value(result).type.dims[1] ? reader : NodeId{};
}

/// A product of plain matrices, the second constant if it is turned, with a number per column or
/// none added.
bool is_plain(const Graph& graph, const Node& gemm) {
  const Attributes& attributes = gemm.attributes;
  if (!is_float_type(graph.value(gemm.outputs[0]).type.element)) return false;
  if (attributes.integer("transA", 0) != 0 || attributes.real("alpha", 1) != 1) return false;
  if (attributes.integer("transB", 0) != 0 && constant_input(graph, gemm, 1) == nullptr)
    return false;
  if (input_of(gemm, Epilogue::kResidualInput).valid()) return false;
  const ValueId bias = input_of(gemm, Epilogue::kBiasInput);
  if (!bias.valid()) return true;
  return attributes.real("beta", 1) == 1 &&
         graph.value(bias).type.dims == Dims{graph.value(gemm.outputs[0]).type.dims[1]};
}

ValueId reshaped(GraphEdit& edit, const Graph& graph, ValueId value, Dims dims) {
  Node reshape;
  reshape.op = "Reshape";
  const ValueId shape = edit.add_constant(
      graph.value(value).name + "/shape",
      Tensor::of<std::int64_t>({static_cast<std::int64_t>(dims.size())}, std::span(dims)));
  reshape.inputs = {value, shape};
  return edit.add_node(std::move(reshape), {{graph.value(value).type.element, std::move(dims)}})[0];
}

ValueId turned(GraphEdit& edit, const Graph& graph, ValueId matrix) {
  const TensorType& type = graph.value(matrix).type;
  Node transpose;
  transpose.op = "Transpose";
  transpose.attributes.set("perm", std::vector<std::int64_t>{1, 0});
  transpose.inputs = {matrix};
  return edit.add_node(std::move(transpose), {{type.element, {type.dims[1], type.dims[0]}}})[0];
}

std::vector<Match> find_gemm_before_reshape(const Site& site) {
  const NodeId reshape = reshape_after(site.graph, site.node());
  if (!reshape.valid() || !is_plain(site.graph, site.node())) return {};
  return {{.anchor = site.anchor, .nodes = {reshape}}};
}

bool lift_product(const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
  const Node& gemm = graph.node(match.anchor);
  const Node& reshape = graph.node(match.nodes[0]);
  const TensorType& type = graph.value(reshape.outputs[0]).type;
  Dims dims = type.dims;
  dims.back() = graph.value(gemm.inputs[0]).type.dims[1];
  Node product;
  product.op = "MatMul";
  product.name = gemm.name;
  product.attributes = gemm.attributes;
  for (std::string_view own : {"alpha", "beta", "transA", "transB"}) product.attributes.erase(own);
  const bool is_turned = gemm.attributes.integer("transB", 0) != 0;
  product.inputs = {reshaped(edit, graph, gemm.inputs[0], std::move(dims)),
                    is_turned ? turned(edit, graph, gemm.inputs[1]) : gemm.inputs[1]};
  if (const ValueId bias = input_of(gemm, Epilogue::kBiasInput); bias.valid())
    product.inputs.push_back(bias);
  edit.replace(reshape.outputs[0], edit.add_node(std::move(product), {type})[0]);
  return true;
}

}  // namespace

Rule lift_gemms() {
  return {"lift-gemms",
          "a Gemm between reshapes becomes a MatMul of what lies before them",
          {"Gemm"},
          find_gemm_before_reshape,
          lift_product};
}

}  // namespace braid
