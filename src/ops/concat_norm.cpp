#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/definitions.h"
#include "ops/shared/epilogue.h"
#include "ops/shared/expansion.h"

namespace braid {
namespace {

/// ConcatNormalization(scale, B, mean, var, x1, x2, …): BatchNormalization of the x joined along
/// their channels, in one pass. Devices make it when they lower a graph.
constexpr std::size_t kParameters = 4;

const Attributes& along_channels() {
  static const Attributes attributes = {{"axis", std::int64_t{1}}};
  return attributes;
}

TensorType joined_type(const OpCall& call) {
  OpCall concat;
  concat.op = "Concat";
  concat.attributes = &along_channels();
  concat.inputs.assign(call.inputs.begin() + kParameters, call.inputs.end());
  concat.known.resize(concat.inputs.size());
  return infer(op_def("Concat"), concat)[0];
}

std::vector<TensorType> infer_concat_norm(const OpCall& call) {
  const TensorType joined = joined_type(call);
  OpCall norm;
  norm.op = "BatchNormalization";
  norm.attributes = call.attributes;
  norm.inputs = {&joined};
  norm.inputs.insert(norm.inputs.end(), call.inputs.begin(), call.inputs.begin() + kParameters);
  norm.known.resize(norm.inputs.size());
  return infer(op_def("BatchNormalization"), norm);
}

Work concat_norm_work(const OpCall& call) {
  return {.flops = 2 * static_cast<double>(element_count(call.outputs[0]))};
}

std::vector<Tensor> evaluate_concat_norm(const OpCall& call, std::span<const Tensor> inputs) {
  std::vector<Tensor> norm = evaluate("Concat", along_channels(), inputs.subspan(kParameters));
  norm.insert(norm.end(), inputs.begin(), inputs.begin() + kParameters);
  return evaluate("BatchNormalization", *call.attributes, norm);
}

GraphEdit expand_concat_norm(const Graph& graph, NodeId id) {
  Expansion expansion(graph, id);
  const std::vector<ValueId>& inputs = expansion.node().inputs;
  std::vector<ValueId> norm = {
      expansion.add("Concat", {inputs.begin() + kParameters, inputs.end()}, along_channels())};
  norm.insert(norm.end(), inputs.begin(), inputs.begin() + kParameters);
  return expansion.finish(
      expansion.add("BatchNormalization", std::move(norm), expansion.node().attributes));
}

}  // namespace

std::vector<OpDef> concat_norm_ops() {
  OpDef def;
  def.name = "ConcatNormalization";
  def.min_inputs = kParameters + 1;
  def.max_inputs = kVariadic;
  def.attributes = with_epilogue_attributes({{"epsilon", AttributeKind::Real},
                                             {"momentum", AttributeKind::Real},
                                             {"training_mode", AttributeKind::Integer}});
  def.types = kFloats;
  def.typed_input = kParameters;
  def.infer = infer_concat_norm;
  def.work = concat_norm_work;
  def.evaluate = evaluate_concat_norm;
  def.expand = expand_concat_norm;
  def.needs_expansion = [](const Node&, int) { return true; };
  return {def};
}

}  // namespace braid
