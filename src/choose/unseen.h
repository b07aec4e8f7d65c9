#pragma once

#include <string_view>
#include <vector>

#include "choose/choose.h"

namespace braid {

/// The fastest of the Plans, which a scheduler named `scheduler` and those that it is compared with
/// made, in models that no search has seen (Judge::unseen_us()), and why. Compared is the mean
/// ratio to the best of the others, and a little of its spread: what is faster in some models only,
/// loses. The first of equals is taken. There is at least one Plan.
Kept fastest_unseen(Judge& judge, std::vector<Plan> plans, std::string_view scheduler);

}  // namespace braid
