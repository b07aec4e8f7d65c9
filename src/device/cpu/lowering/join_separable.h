#pragma once

#include "device/device.h"
#include "graph/graph.h"

namespace braid::cpu {

/// Joins a depthwise convolution and the 1x1 convolution that alone reads it into a SeparableConv
/// that runs in one pass, wherever whoever lowers chooses so. Pairs that are asked for are run by
/// kernels of our own, each in its first way, which the one pass is made of: so no bit changes, and
/// a Plan that tells of the pair tells all. What lies between them is much larger than the
/// second-level cache. The joined node has the place of the second one in the
/// graph's order: values are used soon after they are made.
Graph join_separable(Graph lowered, const ChooseWay& choose);

}  // namespace braid::cpu
