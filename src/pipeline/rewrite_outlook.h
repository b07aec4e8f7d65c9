#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/stages.h"

namespace braid {

/// The lower bounds of Judge::bounds(), each of which may hold a Plan back.
enum class HoldingBound { CriticalPath, Work, Bandwidth };
constexpr std::size_t kHoldingBounds = 3;
/// "critical-path", "work", "bandwidth".
std::string_view name(HoldingBound bound);

/// What a graph costs as a whole, whatever its Plan.
struct GraphOutlook {
  std::array<double, kHoldingBounds> bounds_us = {};  ///< by HoldingBound
  double sum_us = 0;                                  ///< all operators one after another, none cut
  std::int64_t operators = 0;

  double of(HoldingBound bound) const { return bounds_us[static_cast<std::size_t>(bound)]; }
};

/// What one rule, applied wherever it can be, would make of the graph.
struct RulePossibility {
  std::string rule;
  std::vector<std::int64_t> parameters = {};
  std::size_t sites = 0;
  GraphOutlook after = {};
  std::vector<HoldingBound> moved = {};  ///< bounds that would be lower by more than one percent
};

/// What rewriting could give, at a glance: costs are compared, and no Plan is looked for.
struct RewriteOutlook {
  GraphOutlook now = {};
  HoldingBound held_by = HoldingBound::CriticalPath;  ///< the greatest bound
  double share = 0;                                   ///< of that in the predicted time
  std::vector<RulePossibility> rules =
      {};                    ///< that promise something; the best of each, best first
  std::size_t tried = 0;     ///< groups of sites
  std::size_t left_out = 0;  ///< since that would have taken too long
};

/// Applies every rule of the search over graphs to all its sites at once, and to those that are
/// alike, each alone, and compares critical path and sum. `predicted_us` is the time of the Plan.
/// Takes about a second.
RewriteOutlook rewrite_outlook(const Planned& planned, const Device& device,
                               const ChooseWay& choose, double predicted_us,
                               std::size_t most_rules = 10);

}  // namespace braid
