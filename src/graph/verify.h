#pragma once

#include "graph/graph.h"

namespace braid {

/// Throws Internal, naming the node or value, unless: every input of a node is a live value that
/// lists the node among its consumers as often as it is used; every output is a live value whose
/// producer is the node; every value is exactly one of input, constant and output of a node; names
/// are unique and not empty; constants have the bytes of their type; graph outputs exist; there is
/// no cycle.
void verify(const Graph& graph);

}  // namespace braid
