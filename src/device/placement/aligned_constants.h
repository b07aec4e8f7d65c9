#pragma once

#include <vector>

#include <braid/tensor.h>

#include "graph/graph.h"

namespace braid {

/// Constants of a graph, aligned to their elements, for all Plans that read them: one that lies
/// unaligned in its file is copied once. The graph outlives it.
class AlignedConstants {
 public:
  explicit AlignedConstants(const Graph& graph) : graph_(graph), made_(graph.value_limit()) {}

  const Tensor& of(ValueId id) {
    Tensor& tensor = made_[id.at()];
    if (!tensor.defined()) tensor = graph_.value(id).constant.aligned();
    return tensor;
  }

 private:
  const Graph& graph_;
  std::vector<Tensor> made_;  // by value
};

}  // namespace braid
