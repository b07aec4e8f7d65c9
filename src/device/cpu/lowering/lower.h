#pragma once

#include "device/device.h"
#include "graph/graph.h"

namespace braid::cpu {

/// The graph with an implementation, layout, scratch and cuts for every node, and a reorder (an
/// Identity) wherever a kernel wants a value in another order. Graph inputs and outputs are
/// row-major. Every node is one that the device does not reject.
///
/// Orders are chosen from the inputs on: convolutions and pools give channels-last values,
/// operators that treat all axes alike keep what they get, a Transpose and a Reshape are views
/// wherever strides can say them, and a MatMul takes and gives what saves a copy.
Graph lower_nodes(const Graph& graph, const LowerOptions& options);

}  // namespace braid::cpu
