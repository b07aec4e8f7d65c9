#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "device/cpu/kernels/kernel.h"
#include "device/placement/aligned_constants.h"
#include "plan/plan.h"

namespace braid::cpu {

/// The kernels of a lowered graph and the constants that they read, made when they are first asked
/// for. Steps that run the same part of a node share one kernel; the parts of a node share its
/// packed weights. The graph outlives the store; kernels outlive both.
class KernelStore {
 public:
  explicit KernelStore(const Graph& lowered);

  const Way& way_of(NodeId id);

  /// Throws Device if this machine has not the implementation that the node was lowered to,
  /// Unsupported if the node cannot be cut so.
  std::shared_ptr<const Kernel> kernel_of(const Step& step);

  AlignedConstants& constants() { return constants_; }

 private:
  struct Entry {
    std::optional<Way> way;
    std::map<std::tuple<int, std::int64_t, int, int>, std::shared_ptr<const Kernel>> parts;
  };

  const Graph& graph_;
  AlignedConstants constants_;
  std::vector<Entry> entries_;  // by node
};

}  // namespace braid::cpu
