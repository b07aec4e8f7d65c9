#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"

namespace braid {
namespace {

std::vector<TensorType> infer_dropout(const OpCall& call) {
  if (call.has(2)) {
    const Tensor mode = call.known_input(2, "input training_mode").aligned();
    if (mode.element() != ElementType::Bool || mode.elements() != 1)
      raise(ErrorKind::Model, fmt::format("input training_mode of Dropout has type {}, expected "
                                          "one bool",
                                          to_string(mode.type())));
    if (mode.data<bool>()[0])
      raise(ErrorKind::Unsupported, "Dropout in training mode; export the model for inference");
  }
  if (call.output_count < 2) return {call.input(0)};
  return {call.input(0), {ElementType::Bool, call.dims(0)}};
}

std::vector<Tensor> evaluate_dropout(const OpCall& call, std::span<const Tensor> inputs) {
  std::vector<Tensor> results = {inputs[0]};
  if (call.outputs.size() > 1) {
    Tensor mask = Tensor::uninitialised(call.outputs[1]);
    std::ranges::fill(mask.mutable_data<bool>(), true);
    results.push_back(std::move(mask));
  }
  return results;
}

}  // namespace

std::vector<OpDef> dropout_ops() {
  OpDef def;
  def.name = "Dropout";
  def.elements = Elements::Copied;
  def.versions = {1, 6, 7, 10, 12, 13, 22};
  def.max_inputs = 3;
  def.max_outputs = 2;
  def.attributes = {{"seed", AttributeKind::Integer}};
  def.types = kFloats;
  def.infer = infer_dropout;
  def.evaluate = evaluate_dropout;
  return {def};
}

}  // namespace braid
