#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace braid {

/// A graph that a seed decides, over an input of shape [4,6]: most of its nodes join, cut,
/// transpose or rename matrices, and may so be views of one another; some compute, exactly on small
/// whole numbers. Values that nothing reads are outputs, and now and then others.
Graph random_movement(std::uint64_t seed);

}  // namespace braid
