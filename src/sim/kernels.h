#pragma once

#include <vector>

#include "graph/graph.h"
#include "sim/kernel.h"

namespace braid::sim {

enum class Precision {
  Float32,
  Tf32  ///< convolutions on tensor cores, as frameworks do by default where there are any
};

/// The library whose convolutions are taken.
enum class ConvLibrary {
  Recent,  ///< a cuDNN from 8 on, which chooses as GpuSpec::choices say
  CuDnn7   ///< only kernels that it had, and the fastest alone of them
};

struct KernelOptions {
  Precision precision = Precision::Float32;
  ConvLibrary library = ConvLibrary::Recent;
  /// 1x1 convolutions run as matrix products, by another library than the other convolutions.
  bool pointwise_products = false;
  /// The library has measured its ways for every shape, and takes the fastest.
  bool measured = false;
  bool answers = false;       ///< convolutions as cuDNN's heuristics say, where they were asked
  bool warm_weights = false;  ///< all weights of the model fit in L2 and stay there
  int draw = 0;  ///< in which the library's choice is drawn (sim/ensemble.h); 0: as fitted
};

/// Whether a library chooses between several ways to run an operator.
bool is_chosen(const Node& node);

/// Whether a node launches no kernel: a view, or keeps_elements() and not lowered to a copy.
bool launches_nothing(const Node& node);

/// The kernels that vendor libraries and frameworks would launch for a node, one after another.
/// Empty if it launches none. What the choice is between and how it is made: docs/gpu-model.md.
/// Throws Unsupported if the node cannot be run on a GPU.
std::vector<Kernel> kernels_of(const GpuSpec& gpu, const Graph& graph, NodeId id,
                               const KernelOptions& options = {});

/// Ways to run a node, each a row of kernels.
using Ways = std::vector<std::vector<Kernel>>;

/// Ways to run a node: that of kernels_of() first, then others that are slower alone but leave more
/// of the device to work beside them, and need little scratch. At least one.
Ways ways_of(const GpuSpec& gpu, const Graph& graph, NodeId id, const KernelOptions& options = {});

/// The scratch memory of all kernels of a way.
std::int64_t scratch_bytes(const std::vector<Kernel>& kernels);

/// The time of the kernels one after another, with the edges between them.
double solo_us(const GpuSpec& gpu, const std::vector<Kernel>& kernels);

}  // namespace braid::sim
