#pragma once

#include "graph/graph.h"

namespace braid {

/// Gives values the names of the outputs that they are, as in a file, where an output is the value
/// of its name. A value that has such a name and is no output gets another. Where one value is
/// several outputs it bears the first's name, and an output that is an input has none of its own.
void name_outputs(Graph& graph);

}  // namespace braid
