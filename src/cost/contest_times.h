#pragma once

#include <vector>

namespace braid {

/// How long two contenders took, run by turns; element i of both was measured in round i.
struct ContestTimes {
  std::vector<double> champion_us;
  std::vector<double> challenger_us;
};

}  // namespace braid
