#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace braid::onnx {

/// The dimensions that a model leaves open, by the name of the input or output: the symbol of each
/// dimension, an empty one if it has no name, and none if the dimension is fixed.
using OpenDimensions = std::map<std::string, std::vector<std::optional<std::string>>>;

/// Whether two graphs, written as models, differ in sizes of their values alone: the same operators
/// with the same attributes and the same constants under the same names. Throws Unsupported if one
/// cannot be written in that opset.
bool same_but_for_sizes(const Graph& a, const Graph& b, int opset = 0);

}  // namespace braid::onnx
