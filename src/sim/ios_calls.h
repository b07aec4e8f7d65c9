#pragma once

#include <vector>

#include "sim/kernels.h"

namespace braid::sim {

/// What IOS's runtime does for an operator: it calls cuDNN, or launches a kernel of its own.
struct IosCall {
  std::vector<Kernel> kernels;
  bool library = true;  ///< cuDNN's, which takes the host LaunchCosts::library_call_us
};
using IosUnit = std::vector<IosCall>;  ///< the calls of an operator, one after another

/// cuDNN 7, which IOS was measured with.
KernelOptions ios_library();

/// The calls for a node. A convolution without activation is followed by a second call that adds
/// the bias; each input of a concatenation is copied by a kernel of the runtime, and so are sums.
IosUnit ios_calls(const GpuSpec& gpu, const Graph& graph, NodeId id);

/// A kernel of the runtime that copies a value of these dimensions.
IosCall ios_copy(const GpuSpec& gpu, const Dims& dims);
/// One that adds `values` values of these dimensions.
IosCall ios_sum(const GpuSpec& gpu, const Dims& dims, std::size_t values);

}  // namespace braid::sim
