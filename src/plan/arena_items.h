#pragma once

#include <vector>

#include "graph/graph.h"
#include "plan/happens_before.h"
#include "plan/pack.h"
#include "plan/plan.h"
#include "plan/region.h"

namespace braid {

/// What has to lie in the arena of a Plan, to be packed: buffers of values, those joined by views
/// in one, and the scratch of steps. Their uses follow from the streams; the waits do not matter.
class ArenaItems {
 public:
  /// The values that views join in one buffer.
  struct Buffer {
    std::vector<ValueId> values;
    std::int64_t bytes = 0;
  };

  /// Throws Unsupported, naming a value, if views contradict one another. The graph must outlive
  /// it.
  ArenaItems(const Graph& graph, const Plan& plan, const HappensBefore& order);

  const std::vector<PackItem>& all() const { return items_; }
  /// Writes offsets of all() into the Plan, in place of what was placed before.
  void apply(const Packing& packing, Plan& plan) const;

 private:
  const Graph& graph_;
  std::vector<Buffer> buffers_;
  std::vector<StepRef> scratch_;
  std::vector<PackItem> items_;  // of the buffers, then of the scratch
  std::vector<Region> regions_;  // by value: its place in its buffer
};

}  // namespace braid
