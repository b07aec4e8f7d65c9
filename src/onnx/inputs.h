#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include <braid/tensor.h>
#include <braid/value_info.h>

#include "base/error.h"
#include "onnx/load.h"
#include "onnx/proto.h"

namespace braid::onnx {

/// Thrown if nothing says how large a dimension is; the message says what to type.
class OpenDimension : public Error {
 public:
  explicit OpenDimension(std::string message) : Error(ErrorKind::Usage, std::move(message)) {}
};

struct ModelInput {
  std::string_view name;
  TensorType type;
  Tensor fixed;  ///< defined if the options fix its elements
};

/// The symbol of a dimension: "batch". Empty if it has none; what exporters write for a size that
/// they do not know ("?") names nothing, so that two such dimensions may differ.
std::string_view symbol_in(const proto::TensorShapeProto::Dimension& dimension);

/// An input as the file and the options describe it, which may leave dimensions open. Throws
/// Unsupported for what is no tensor, or one of an element type that Braid has not.
ValueInfo describe_input(const proto::ValueInfoProto& input, const LoadOptions& options);

/// The inputs of a model with every dimension bound. Those in `initialisers` (models before IR
/// version 4 list all initialisers as inputs) are left out unless the options fix them. Throws
/// Usage if the options contradict the model or one another, or leave a dimension open.
std::vector<ModelInput> bind_inputs(const proto::GraphProto& graph,
                                    const std::unordered_set<std::string_view>& initialisers,
                                    const LoadOptions& options);

}  // namespace braid::onnx
