#pragma once

#include "graph/graph.h"

namespace braid::cpu {

/// Joins elementwise operators of one shape into Chains (ops/chain.h), each of which reads its
/// inputs and writes its output once. What is joined is a tree or small graph that ends in one
/// node; values inside it are read by nobody else. A Chain has a bounded number of inputs and
/// steps. A large operator that could run long before the others can is left alone.
Graph fuse_chains(Graph graph);

}  // namespace braid::cpu
