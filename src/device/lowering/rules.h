#pragma once

#include "rewrite/rule.h"

namespace braid {

/// Rules that prepare a graph for kernels of any device; a device takes those that suit it.

/// Writes every Split as a Slice for each of its outputs: these have kernels, can be cut, and run
/// side by side.
Rule slice_splits();

/// Joins elementwise operators of one shape into Chains (ops/chain.h), each of which reads its
/// inputs and writes its output once. What is joined is a tree or small graph that ends in one
/// node; values inside it are read by no other node. A Chain has a bounded number of inputs and
/// steps. A large operator that could run long before the others can is left alone.
Rule fuse_chains();

}  // namespace braid
