#include "cli/inexact_ways.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid::cli {

InexactWays inexact_ways(const Graph& lowered, const Device& device) {
  InexactWays ways;
  for (const NodeId id : lowered.node_ids())
    if (const std::string& by = lowered.node(id).lowering.implementation; !device.is_exact(by))
      ++ways[by];
  return ways;
}

std::string text_of(const InexactWays& ways) {
  std::vector<std::string> counts;
  for (const auto& [way, count] : ways) counts.push_back(fmt::format("{} by {}", count, way));
  if (counts.empty()) return "";
  return fmt::format(
      "operators in ways that save operations at the price of digits: {}; --exact does without\n",
      fmt::join(counts, ", "));
}

}  // namespace braid::cli
