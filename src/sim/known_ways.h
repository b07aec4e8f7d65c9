#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/hash.h"
#include "sim/kernels.h"

namespace braid::sim {

/// The ways to run nodes on one GPU, each found out once: nodes that are alike have the same. Safe
/// to use from several threads.
class KnownWays {
 public:
  KnownWays(GpuSpec gpu, KernelOptions options) : gpu_(std::move(gpu)), options_(options) {}

  const GpuSpec& gpu() const { return gpu_; }
  /// As they were given; whether weights are warm is asked for each node.
  const KernelOptions& options() const { return options_; }

  /// What ways_of() gives. Lowered or not, a node has the same.
  std::shared_ptr<const Ways> of(const Graph& graph, NodeId node, bool warm_weights, int draw = 0);

 private:
  GpuSpec gpu_;
  KernelOptions options_;
  std::mutex mutex_;
  std::unordered_map<Hash128, std::shared_ptr<const Ways>> known_;
};

}  // namespace braid::sim
