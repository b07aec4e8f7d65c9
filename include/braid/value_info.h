#pragma once

#include <string>
#include <vector>

#include <braid/tensor.h>

namespace braid {

/// An input of a model. A dimension that is not bound yet is -1 and has its symbol, if it
/// has one, in `symbols`; for fixed dimensions the symbol is empty.
struct ValueInfo {
  std::string name;
  ElementType element = ElementType::F32;
  Dims dims;
  std::vector<std::string> symbols;
  bool shaped = true;  ///< false: the model does not even say how many dimensions it has
};

}  // namespace braid
