#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <braid/tensor.h>

#include "graph/attributes.h"

/// For tests of operators on any device.

namespace braid {

/// Whether `./test --full` runs the tests.
inline bool is_full() { return std::getenv("BRAID_FULL") != nullptr; }

/// One use of an operator with its tensors. Inputs marked constant may be packed beforehand.
struct Case {
  std::string op;
  Attributes attributes = {};
  std::vector<Tensor> inputs;
  std::vector<bool> constant = {};  ///< shorter: not constant
  std::size_t outputs = 1;
};

}  // namespace braid
