#pragma once

#include "graph/graph.h"
#include "onnx/load.h"
#include "onnx/proto.h"
#include "onnx/refusal.h"
#include "onnx/tensor_reader.h"

namespace braid::onnx {

/// The parsed metadata of a model, and its tensors, as a graph.
Graph import_model(const proto::ModelProto& model, TensorReader& tensors,
                   const LoadOptions& options);

/// Reads likewise, but notes what Braid does not support and goes on. Gives what would close
/// dimensions that are open; then no node can be read, and all are looked at by their names alone.
std::string find_refusals(const proto::ModelProto& model, TensorReader& tensors,
                          const LoadOptions& options, Refusals& refusals);

}  // namespace braid::onnx
