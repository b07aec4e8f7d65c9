#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ops/op.h"

namespace braid {

/// Elements of values that are not constants of the graph but can be computed from them: whole
/// shape computations.
using KnownValues = std::unordered_map<ValueId, Tensor>;

/// The call that a node makes, with its outputs' types if they are in the graph.
OpCall call_of(const Graph& graph, const Node& node, const KnownValues* known = nullptr);

/// Whether every input that is there has float32 elements.
bool all_f32(const OpCall& call);

/// Checks arity, attributes and element types, then infers. Throws Model or Unsupported.
std::vector<TensorType> infer(const OpDef& def, OpCall call);
Work work(const OpDef& def, const OpCall& call);
Work work(const Graph& graph, NodeId id);
Footprint footprint(const Graph& graph, NodeId id);

/// A tensor to be written for each output of the call.
std::vector<Tensor> uninitialised_outputs(const OpCall& call);

/// Infers from the inputs' types and elements, evaluates, and checks that the results have the
/// inferred types.
std::vector<Tensor> evaluate(std::string_view op, const Attributes& attributes,
                             std::span<const Tensor> inputs, std::size_t output_count = 1);
std::vector<Tensor> evaluate(const Node& node, std::span<const Tensor> inputs);

/// The value of every input and node of the graph, node by node with `evaluate`: the slow, trusted
/// way to run a model. `inputs` in the order of graph.inputs(). The result is indexed by value id.
std::vector<Tensor> evaluate(const Graph& graph, std::span<const Tensor> inputs);

/// Nodes that count in sizes, depth and width: all but Constant, Identity, Reshape, Flatten, Pad
/// and Slice.
bool counts_as_operator(const Node& node);

}  // namespace braid
