#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace braid {

/// The number of learned elements of a model: its constants of a floating type with more than one
/// element that some node reads other than as the running mean or variance of a
/// BatchNormalization. A constant that several nodes share counts once. This is what frameworks
/// call parameters; shapes, indices, single numbers and statistics are none.
std::int64_t parameter_count(const Graph& graph);

}  // namespace braid
