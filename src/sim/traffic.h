#pragma once

#include <vector>

#include "ops/op.h"
#include "sim/kernel.h"
#include "sim/kernels.h"

namespace braid::sim {

/// The number of elements as a real, where whole numbers might overflow.
inline double product_of(const Dims& dims) {
  double product = 1;
  for (std::int64_t dim : dims) product *= static_cast<double>(dim);
  return product;
}

/// The bytes that a node moves at least once.
struct Traffic {
  double activations = 0;  ///< made during the run, so perhaps still in L2
  double weights = 0;      ///< constants: read from DRAM once per run unless all of them stay in L2
};
Traffic traffic_of(const Graph& graph, NodeId id);

/// The part of a node's activations that L2 has lost: none while they take less than two fifths of
/// it, all from four fifths on.
double lost_share(const GpuSpec& gpu, double activation_bytes);

/// Spreads bytes evenly over the kernel's blocks.
void set_bytes(const GpuSpec& gpu, const KernelOptions& options, const Traffic& traffic,
               Kernel& kernel);

/// A kernel that only moves these bytes, each thread `per_thread` of `items`.
Kernel memory_kernel(const GpuSpec& gpu, const KernelOptions& options, std::string_view family,
                     double items, int per_thread, const Traffic& traffic);

/// Parts of kernels.cpp's table: the way that a library would choose, then others that it has.
Ways conv_ways(const GpuSpec& gpu, const KernelOptions& options, const OpCall& call,
               const Traffic& traffic);
/// `batch` products [rows,depth] x [depth,columns].
struct Product {
  double batch = 1;
  double rows = 1;
  double columns = 1;
  double depth = 1;
};
Ways product_ways(const GpuSpec& gpu, const KernelOptions& options, const Product& product,
                  const Traffic& traffic);
/// The same without the regret of a choice: of products that are a step of something larger.
Ways step_product_ways(const GpuSpec& gpu, const KernelOptions& options, const Product& product,
                       const Traffic& traffic);

}  // namespace braid::sim
