#pragma once

#include <string>
#include <vector>

#include "rewrite/convolution.h"

namespace braid {

/// `length` in so many parts that differ as little as may be, the longer first; they are multiples
/// of `grain`, but for the last, if each part gets one at least.
std::vector<std::int64_t> even_lengths(std::int64_t length, std::int64_t parts, std::int64_t grain);

/// What nodes for the pieces of a node of that name are called: "conv/0", "conv/1", …
std::string piece_name(const std::string& name, std::size_t piece);

/// Adds a convolution for each piece of the output channels of one, which has no residual. Pieces
/// of a grouped one are whole groups, and each reads its piece of the input.
std::vector<ValueId> add_convolutions_of_pieces(EditBuilder& build, const Graph& graph,
                                                const Convolution& conv,
                                                const std::vector<std::int64_t>& lengths,
                                                const std::string& name);

}  // namespace braid
