#pragma once

#include <map>
#include <string>

#include "cost/cost_model.h"

namespace braid {

/// What a device has no kernel for, and so runs by its own definition, which is slow.
struct ReferenceShare {
  std::map<std::string, int> uses;  ///< "GridSample (f16)": how often
  double share = 0;                 ///< of the time of all nodes, one after another

  bool empty() const { return uses.empty(); }
  std::string counts() const;  ///< "2 GridSample (f16), 1 DFT (f32)"
};

ReferenceShare reference_share(const Graph& lowered, const CostModel& costs);

}  // namespace braid
