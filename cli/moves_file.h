#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "optimise/moves.h"

namespace braid::cli {

/// Reads the moves that `optimize --save-moves` wrote. Throws Model if they are malformed or were
/// made for another graph.
std::vector<Round> load_moves(const std::string& file, const Graph& canonical);

/// Writes moves that begin with this graph and were made for a device.
void save_moves(const std::string& file, const Graph& canonical, const std::string& device,
                const std::vector<Round>& rounds);

}  // namespace braid::cli
