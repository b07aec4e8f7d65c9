#pragma once

#include <cstdint>
#include <vector>

namespace braid {

/// Edges of a bipartite graph: for every left vertex its right ones, in order of preference.
using BipartiteEdges = std::vector<std::vector<std::int32_t>>;

/// The right vertex of every left one, or -1.
using Matching = std::vector<std::int32_t>;

/// As many pairs as possible (Hopcroft and Karp). Deterministic.
Matching maximum_matching(const BipartiteEdges& edges, std::size_t right_count);

/// As many pairs as possible, and of those the greatest sum of weights, which are not negative and
/// parallel to `edges`. Takes time in pairs times edges.
Matching heaviest_maximum_matching(const BipartiteEdges& edges,
                                   const std::vector<std::vector<double>>& weights,
                                   std::size_t right_count);

std::size_t pairs(const Matching& matching);

}  // namespace braid
