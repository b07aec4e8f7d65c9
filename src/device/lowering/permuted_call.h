#pragma once

#include <span>
#include <vector>

#include "graph/layout.h"
#include "ops/op.h"

namespace braid {

/// The shape with leading ones, `rank` axes long.
Dims with_rank(const Dims& dims, std::size_t rank);

/// The order in which most bytes of the inputs that have `rank` axes lie.
AxisOrder common_order(const OpCall& call, std::span<const AxisOrder> inputs, std::size_t rank);

/// A call whose values all lie in `order`, as a kernel for row-major values sees it: the same bytes
/// under permuted shapes, and `axis` where that axis went. For operators that treat all axes alike
/// but for that one. It owns the types and attributes that `op` points to.
struct PermutedCall {
  Attributes attributes;
  std::vector<TensorType> types;
  OpCall op;

  PermutedCall(const OpCall& call, const AxisOrder& order);
  PermutedCall(const PermutedCall&) = delete;
  PermutedCall& operator=(const PermutedCall&) = delete;
};

}  // namespace braid
