#pragma once

#include <span>

#include "device/cpu/kernels/kernel.h"
#include "graph/graph.h"

namespace braid::cpu {

/// A lowered graph with one node for each way to run the call. Its values are the graph's inputs,
/// but for constants; all ways take and give them in the same orders.
Graph ways_alone(const KernelCall& call, std::span<const Way> ways);

}  // namespace braid::cpu
