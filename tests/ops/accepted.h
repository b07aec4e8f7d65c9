#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/call.h"
#include "tests/ops/generators.h"

namespace braid {

/// Null if there is none for the operator.
const Generator* find_generator(std::string_view op);

/// A draw that the operator takes, and what it makes of it.
struct Accepted {
  int index;
  bool whole;
  Case c;
  std::vector<TensorType> types;
};
std::optional<Accepted> accepted(const Generator& generator, int index, bool infinities);

/// How far a kernel may be from `evaluate`, absolutely and relative to the largest element.
double tolerance_of(const Generator& generator, const Accepted& draw, ElementType element);

/// The call that a case makes, with the elements of all its inputs known or of none.
OpCall call_of(const Case& c, bool known);
/// The graph of the case's only node, for messages.
std::string text_of(const Case& c);

}  // namespace braid
