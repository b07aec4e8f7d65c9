#pragma once

#include <cstdint>
#include <filesystem>

#include "base/progress.h"
#include "graph/graph.h"

namespace braid::onnx {

struct SaveOptions {
  /// The opset to write. 0: the graph's own (17 if it has none), or the lowest above it that has
  /// all its operators.
  int opset = 0;
  /// A model that would be larger keeps its weights in a file beside it, named with ".data" added.
  std::int64_t external_data_threshold = 2'000'000'000;
  Progress progress;
};

/// Writes a graph as an ONNX model that other programs can read: fused operators are expanded, and
/// operators written in the form that the opset has. Weights are streamed, never copied as a whole.
/// The file appears whole or not at all. Throws Unsupported, naming the node, if the opset has no
/// form for it.
void save(const Graph& graph, const std::filesystem::path& path, const SaveOptions& options = {});

}  // namespace braid::onnx
