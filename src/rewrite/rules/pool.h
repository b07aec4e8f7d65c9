#pragma once

#include "graph/graph.h"

namespace braid {

/// A node that pools each channel of each image alone, with one output: MaxPool, AveragePool,
/// GlobalMaxPool or GlobalAveragePool.
bool is_pool(const Node& node);
/// Whether the node takes means: AveragePool or GlobalAveragePool.
bool is_average(const Node& node);

// What these tell of a pool holds for images of any size.

/// Whether every window reads at least one element, not only padding.
bool reads_in_every_window(const Graph& graph, const Node& pool);
/// Whether a pool that takes means divides by the same number everywhere, so that it is a
/// convolution: padding counts, or there is none, and no window reaches beyond it.
bool has_one_divisor(const Node& pool);
/// Whether a pool that takes means gives every channel that holds one number that number: padding
/// does not count.
bool keeps_constants(const Graph& graph, const Node& pool);

}  // namespace braid
