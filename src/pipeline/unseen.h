#pragma once

#include <string_view>
#include <vector>

#include "device/device.h"
#include "pipeline/choose_plan.h"

namespace braid {

/// The fastest of the Plans, which a scheduler named `scheduler` and those that it is compared with
/// made for a simulated device, in models that no search has seen (Device::choice_judge()), and
/// why. Compared is the mean ratio to the best of the others, and a little of its spread: what is
/// faster in some models only, loses. The first of equals is taken. There is at least one Plan.
ChosenPlan fastest_unseen(const Graph& lowered, const Device& device, std::vector<Plan> plans,
                          std::string_view scheduler);

}  // namespace braid
