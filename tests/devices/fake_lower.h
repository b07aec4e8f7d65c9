#pragma once

#include "graph/graph.h"

namespace braid {

/// The graph as the fake device runs it (tests/devices/fake_device.h).
Graph fake_lower(const Graph& graph);

}  // namespace braid
