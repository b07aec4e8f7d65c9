#pragma once

#include "rewrite/canonical/query.h"

namespace braid {

/// Readers of formulas that exporters write operator by operator. Each looks at how `value` is made
/// and answers with the other operand; invalid if it is not made like that. Numbers are compared to
/// six digits, as single precision constants hold them.

/// value = answer * number, or answer / (1 / number).
ValueId as_multiple(const Graph& graph, ValueId value, double number);
/// value = answer + number.
ValueId as_sum(const Graph& graph, ValueId value, double number);
/// value = answer to the power of 2 or 3, as Pow or by multiplication.
ValueId as_square(const Graph& graph, ValueId value);
ValueId as_cube(const Graph& graph, ValueId value);

/// The number that input `i` holds if it is a constant with equal elements.
std::optional<double> number_input(const Graph& graph, const Node& node, std::size_t i);

/// The only node that reads `value` if its operator is `op`; invalid otherwise.
NodeId only_user(const Graph& graph, ValueId value, std::string_view op);
/// The operand of a binary node that is not `value`; invalid if neither or both are.
ValueId other_operand(const Node& node, ValueId value);

}  // namespace braid
