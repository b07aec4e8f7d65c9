#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"

namespace braid {

/// The cut by which a node of a lowered graph is divided into `parts` parts: the first of its cuts
/// that allows it. Nothing if none does, or if `parts` is 1.
std::optional<Cut> cut_into(const Graph& graph, NodeId id, int parts);

/// The largest number of cuts that a node of a lowered graph has.
std::size_t most_cuts(const Graph& graph);

/// What a node of a lowered graph is, as far as its time is concerned: operator, attributes, types
/// and layouts of inputs and outputs, which inputs are constants, implementation, and how it is cut
///
///     Conv(f32[1,8,32,32]<acdb>, =f32[16,8,3,3]) pads=[1,1,1,1] -> f32[1,16,32,32]<acdb> @jit
///     … cut 2/1 in 2
///
/// but neither names nor the elements of weights. Short lists of whole numbers (axes, shapes) are
/// no weights and count. One line of printable text, the same in every process; what is long ends
/// in a hash of all of it. Two nodes of equal signature take equally long.
std::string signature(const Graph& graph, NodeId id, int parts = 1);

}  // namespace braid
