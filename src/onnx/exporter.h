#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "onnx/proto.h"

namespace braid::onnx {

/// A model without its weights, and the weights.
struct ExportedModel {
  proto::ModelProto model;  ///< its graph has no initialisers
  std::vector<std::pair<std::string, Tensor>> initialisers;
};

/// Writes a graph in the form of the opset; 0: its own, or the lowest above it that can express the
/// graph. Throws Unsupported, naming the node.
ExportedModel export_model(const Graph& graph, int opset);

}  // namespace braid::onnx
