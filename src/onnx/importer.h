#pragma once

#include "graph/graph.h"
#include "onnx/load.h"
#include "onnx/proto.h"
#include "onnx/tensor_reader.h"

namespace braid::onnx {

/// The parsed metadata of a model, and its tensors, as a graph.
Graph import_model(const proto::ModelProto& model, TensorReader& tensors,
                   const LoadOptions& options);

}  // namespace braid::onnx
