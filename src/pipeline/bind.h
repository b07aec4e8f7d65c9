#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <braid/value_info.h>

#include "onnx/load.h"

namespace braid {

using NamedInputs = std::map<std::string, Tensor>;

/// True if the shape of an input is not settled before a tensor is given for it.
bool is_open(const ValueInfo& input);

/// A model loaded for certain inputs.
struct BoundModel {
  Graph graph;
  /// Inputs whose elements decide shapes: they became constants, and the graph holds for these
  /// elements only.
  std::set<std::string> values;
};

/// Loads a model with the dimensions that it leaves open bound by `inputs`, and with the inputs
/// bound whose elements decide shapes: those in `values`, and those that turn out to while loading.
BoundModel load_bound(const std::filesystem::path& model, onnx::LoadOptions options,
                      const NamedInputs& inputs, std::set<std::string> values = {});

}  // namespace braid
