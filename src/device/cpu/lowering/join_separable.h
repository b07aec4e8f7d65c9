#pragma once

#include "device/device.h"
#include "graph/graph.h"

namespace braid::cpu {

/// Joins a depthwise convolution and the 1x1 convolution that alone reads it into a SeparableConv
/// that runs in one pass, wherever whoever lowers chooses so. Pairs that are asked for are run by
/// kernels of our own, each in its first way, which the one pass is made of: so no bit changes, and
/// a Plan that tells of the pair tells all. What lies between them is too large to stay in the
/// second-level cache until it is read.
void join_separable(Graph& lowered, const ChooseWay& choose);

}  // namespace braid::cpu
