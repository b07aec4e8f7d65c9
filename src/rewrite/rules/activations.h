#pragma once

#include "graph/graph.h"
#include "rewrite/edit_builder.h"

namespace braid {

/// An activation as a node of its own: it does the same to every element of its first input, and
/// other inputs, the bounds of Clip, are constant numbers. Only operators count that a host can do.
bool is_activation(const Graph& graph, NodeId id);
/// Whether larger inputs never give smaller results.
bool is_monotone(const Node& activation);
/// Whether both activations do the same, to whatever they read.
bool are_same_activation(const Node& a, const Node& b);

/// The same activation of another value: the node that does it already, or a new one.
ValueId activate(EditBuilder& build, const Graph& graph, const Node& activation, ValueId value);

}  // namespace braid
