#pragma once

#include <cstdint>
#include <string_view>

#include "graph/graph.h"

namespace braid::gpu_model {

/// A network as IOS has it: normalisations folded, bias and activation in the convolution, sums
/// apart. One of the zoo, or of those that IOS builds otherwise: "ios:squeezenet", version 1.0 with
/// convolutions around its fire modules, and "ios:sample", four convolutions and a concatenation.
Graph ios_network(std::string_view name, std::int64_t batch);

}  // namespace braid::gpu_model
