#pragma once

#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace braid {

/// The outputs of a graph on fixed random inputs, kept so that a rewritten graph can be compared
/// with them. Holds nothing, and then accepts everything, if the graph is too large to be evaluated
/// plainly or cannot be evaluated on random inputs (an index out of range).
class NumberCheck {
 public:
  NumberCheck() = default;
  explicit NumberCheck(const Graph& original);

  /// Throws Internal, naming the step and the output, if an output differs by more than rounding
  /// (most_rounding()), or at all if it is not of a floating type.
  void check(const Graph& rewritten, std::string_view step) const;

 private:
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
};

/// The largest difference over the largest element of either; 0 for equal tensors and infinity
/// where one is NaN or infinite and the other is not the same. Of integers and truth values any
/// difference is infinite.
double relative_difference(const Tensor& a, const Tensor& b);

/// How large that may be for graphs that compute the same: 1e-4, and more in small floats
/// (tensor/tolerance.h).
double most_rounding(const Tensor& tensor);

}  // namespace braid
