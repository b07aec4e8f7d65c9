#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braid::onnx {

/// Why Braid does not run an operator whatever its inputs are, and what may help.
struct Unsupported {
  std::string reason;
  std::string advice;  ///< empty: nothing is known to help
};

/// Nothing if Braid runs the operator, at least in some forms. `opset` is that of ONNX's own
/// operators; 0: the model does not state it.
std::optional<Unsupported> why_unsupported(std::string_view domain, std::string_view op, int opset);
/// The same for an element type of ONNX, by the number of TensorProto.DataType.
std::optional<Unsupported> why_unsupported_type(int data_type);
/// ": reason; advice", for the end of a message; empty if there is none.
std::string explained(const std::optional<Unsupported>& why);
/// "STRING"; "type 99" if ONNX has no such type.
std::string type_name(int data_type);

}  // namespace braid::onnx
