#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"
#include "ops/op.h"

namespace braid {

/// The Elements of the node's operator; Computed if there is no such operator.
Elements elements_of(const Node& node);

/// Whether output 0 has the elements of input 0 in the same row-major order under another shape:
/// Reshape and its kin.
bool only_renames_dims(const Node& node);
/// The same, or the same shape as well: Identity and its kin.
bool keeps_elements(const Node& node);

/// The permutation p of a Transpose: output axis i is input axis p[i].
std::vector<std::size_t> permutation_of(const Graph& graph, const Node& transpose);
/// Whether a tensor of these dimensions holds its elements in the same order after the permutation.
bool moves_only_unit_axes(const Dims& dims, const std::vector<std::size_t>& permutation);

}  // namespace braid
