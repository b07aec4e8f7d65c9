#pragma once

#include <functional>
#include <vector>

#include "device/sim/sim_program.h"

namespace braid::sim {

/// Device::search_judge(): the mean over the nominal model and a few draws that nobody else sees,
/// each in proportion to what the kernels alone take there. What is good in one model only is not
/// worth finding.
std::function<double(const Plan&, double)> make_search_judge(const SimSettings& settings,
                                                             const Graph& lowered);

/// Device::choice_judge().
std::function<std::vector<double>(const Plan&)> make_choice_judge(const SimSettings& settings,
                                                                  const Graph& lowered);

}  // namespace braid::sim
