#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace braid {

/// A formula to be found in a graph, as text:
///
///     Mul(Mul(x, 0.5), Add(Erf(Mul(x, 0.7071067811865476)), 1))
///
/// A word with a capital is an operator, another word a variable: any value, the same wherever it
/// stands. A number is a constant all of whose elements equal it to six digits, as single precision
/// holds it. Operands of Add and Mul may be swapped, and a Mul by a number may be a Div by its
/// inverse. The values between the formula's result and its variables have no other readers.
class Pattern {
 public:
  /// Throws Internal if the text is malformed.
  explicit Pattern(std::string_view text);

  /// The values of the variables, in the order in which the text first names them, if this node
  /// makes the formula's result; nothing if it does not.
  std::optional<std::vector<ValueId>> find(const Graph& graph, NodeId node) const;

 private:
  struct Term {
    enum class Kind : std::uint8_t { Operator, Variable, Number } kind;
    std::string op;            ///< of an operator
    std::size_t variable = 0;  ///< among all
    double number = 0;
    std::vector<Term> operands = {};
  };
  class Parser;
  class Search;

  Term root_;
  std::size_t variables_ = 0;
};

}  // namespace braid
