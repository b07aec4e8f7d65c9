#pragma once

#include <vector>

#include <braid/tensor.h>

#include "cli/contenders.h"

namespace braid::cli {

/// Runs each contender once. No schedule may change a bit of a result, and no rewriting of the
/// graph more than rounding: throws Mismatch if one does. Gives the outputs of the first.
std::vector<Tensor> same_outputs(const std::vector<PreparedModel>& contenders,
                                 const std::vector<Tensor>& inputs);

}  // namespace braid::cli
