#pragma once

#include "graph/graph.h"

namespace braid::cpu {

/// Joins a Concat of channels and the BatchNormalization that alone reads it, as DenseNet has them,
/// into a ConcatNormalization: the joined value is never written.
Graph fuse_concat_norm(Graph graph);

}  // namespace braid::cpu
