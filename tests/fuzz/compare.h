#pragma once

#include <span>
#include <string>
#include <vector>

#include <braid/tensor.h>

#include "base/function_ref.h"
#include "graph/graph.h"

namespace braid::fuzz {

/// Integers are equal; reals are as near to each other as rounding allows, measured by the largest
/// element. `shaken`, if given, is what the same tensor becomes when all that leads to it is a
/// little off: what is unsure then is not compared. Fails, telling `where`, otherwise.
void expect_close(const Tensor& got, const Tensor& expected, const Tensor* shaken,
                  FunctionRef<std::string()> where);

bool all_finite(std::span<const Tensor> tensors);

/// Like identical(), but any NaN equals any other.
bool same_bits(const Tensor& a, const Tensor& b);

/// Evaluates the graph node by node as evaluate() does, with every real a little off after each
/// node.
std::vector<Tensor> evaluate_shaken(const Graph& graph, std::span<const Tensor> inputs);

}  // namespace braid::fuzz
