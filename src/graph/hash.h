#pragma once

#include "base/hash.h"
#include "graph/graph.h"

namespace braid {

/// Whether constants count by their bytes or only by their type: a Plan fits every graph that
/// differs in weights alone.
enum class HashWeights { Bytes, TypesOnly };

/// A hash that is equal for two graphs exactly when they are the same up to names and ids: the same
/// operators with the same attributes, types and lowerings, reading the same positions in the same
/// order, sharing what is shared. Values are numbered in the order in which the outputs need them,
/// so two identical operators at two places are told apart.
Hash128 hash(const Graph& graph, HashWeights weights);

/// The same for graphs of which something is kept that goes by names: graphs that differ in the
/// names of values are told apart.
Hash128 hash_with_names(const Graph& graph, HashWeights weights);

}  // namespace braid
