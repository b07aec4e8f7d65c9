#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

/// How a rewriting is proved: on small whole numbers, of which all sums and products are exact, in
/// whatever order they are made. Constants of parse() are such numbers too.

namespace braid {

/// Tensors for the graph's inputs: from -3 to 3, or from 0 to 3 where they are not of a floating
/// type.
std::vector<Tensor> whole_inputs(const Graph& graph, std::uint32_t seed = 1);

/// What the graph gives, in the order of its outputs.
std::vector<Tensor> outputs_of(const Graph& graph, const std::vector<Tensor>& inputs);

/// What differs between the outputs of two graphs on the same whole numbers, in a sentence: names,
/// types, or any bit but the sign of a zero. Empty if nothing does.
std::string whole_difference(const Graph& before, const Graph& after, std::uint32_t seed = 1);

}  // namespace braid
