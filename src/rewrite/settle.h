#pragma once

#include "rewrite/canonicalise.h"

namespace braid {

/// The graph as it comes out when it is written to a file and read again: what operators had taken
/// in is put back as nodes of its own, and canonicalised. Which sum takes in which other side
/// depends on what stands around it, and a rewritten graph decided that bit by bit. Values take the
/// names of the outputs that they are. Settling a settled graph changes nothing.
Graph settled(Graph graph, std::vector<std::string> disabled = {});

}  // namespace braid
