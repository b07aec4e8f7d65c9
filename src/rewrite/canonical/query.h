#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace braid {

/// The node that makes `value` if its operator is `op`; invalid otherwise.
NodeId made_by(const Graph& graph, ValueId value, std::string_view op);

/// Read once and not an output of the graph: whoever rewrites that one use may swallow the value.
bool has_single_use(const Graph& graph, ValueId value);

/// Input `i` of the node; invalid if it is absent.
ValueId input_of(const Node& node, std::size_t i);
/// The elements of input `i`; null unless it is a constant.
const Tensor* constant_input(const Graph& graph, const Node& node, std::size_t i);
/// The same as a list of integers; nothing unless it is a short constant of type i64 or i32.
std::optional<std::vector<std::int64_t>> constant_integers(const Graph& graph, const Node& node,
                                                           std::size_t i);

/// The number that all elements equal; nothing if they differ, or there are none or very many.
/// Minus zero is not zero here.
std::optional<double> uniform_number(const Tensor& tensor);

/// The axis counted from the front; nothing if it is out of range.
std::optional<std::size_t> front_axis(std::int64_t axis, std::size_t rank);

/// Of a Transpose: output axis i is input axis p[i].
std::vector<std::size_t> permutation_of(const Graph& graph, const Node& transpose);
/// Whether a tensor of these dimensions holds its elements in the same order after the permutation.
bool moves_only_unit_axes(const Dims& dims, const std::vector<std::size_t>& permutation);

/// Reshape, Flatten, Squeeze, Unsqueeze: the same elements in the same order under another shape.
bool only_renames_dims(const Node& node);

}  // namespace braid
