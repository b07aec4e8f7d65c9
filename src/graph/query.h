#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.h"

/// Questions that one asks when rewriting a graph.

namespace braid {

/// The node that makes `value` if its operator is `op`; invalid otherwise.
NodeId made_by(const Graph& graph, ValueId value, std::string_view op);

/// Whether the value is read once and is no output of the graph: an edit of that use may remove it.
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

/// The number that input `i` holds if it is a constant with equal elements.
std::optional<double> number_input(const Graph& graph, const Node& node, std::size_t i);

/// The only node that reads `value` if its operator is `op`; invalid otherwise.
NodeId only_user(const Graph& graph, ValueId value, std::string_view op);
/// The operand of a binary node that is not `value`; invalid if neither or both are.
ValueId other_operand(const Node& node, ValueId value);

}  // namespace braid
