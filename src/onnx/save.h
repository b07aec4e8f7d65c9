#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "graph/graph.h"
#include "onnx/model_header.h"
#include "onnx/open_dimensions.h"

namespace braid::onnx {

struct SaveOptions {
  /// The opset to write. 0: the graph's own (17 if it has none), or the lowest above it that has
  /// all its operators.
  int opset = 0;
  /// A model that would be larger keeps its weights in a file beside it, named with ".data" added.
  std::int64_t external_data_threshold = 2'000'000'000;
  /// The model that the graph comes from: who made it, documentation and metadata stay.
  std::optional<ModelHeader> header = {};
  /// Added to the metadata, or in place of what has the same key.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  /// Inputs and outputs whose sizes the model leaves open, though the graph has them bound.
  OpenDimensions open = {};
  Progress progress;
};

/// What became of a graph.
struct SavedModel {
  int opset = 0;
  bool has_data_file = false;  ///< weights lie beside the model
};
/// The file in which the weights of a large model lie.
std::filesystem::path data_file_of(const std::filesystem::path& model);

/// Writes a graph as an ONNX model that other programs can read: fused operators are expanded, and
/// operators written in the form that the opset has. Weights are streamed, never copied as a whole.
/// The file appears whole or not at all. Throws Unsupported, naming the node, if the opset has no
/// form for it.
SavedModel save(const Graph& graph, const std::filesystem::path& path,
                const SaveOptions& options = {});

}  // namespace braid::onnx
