#pragma once

#include <string_view>

namespace braid::onnx {

/// An operator of ONNX's own domain, whether Braid runs it or not.
struct StandardOperator {
  std::string_view name;
  int since;          ///< the first opset that has it
  bool is_composite;  ///< ONNX defines it by other operators, too
};

/// Null if ONNX has no operator of that name.
const StandardOperator* find_standard_operator(std::string_view name);

}  // namespace braid::onnx
