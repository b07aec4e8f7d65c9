#pragma once

#include <vector>

#include "cost/profile_cache.h"
#include "measure/profile.h"
#include "optimise/moves.h"

namespace braid::cli {

/// How often each rule was used, as the profile cache of these options has it; nothing for rules
/// that never were.
std::vector<RuleUse> known_rule_uses(const ProfileOptions& options);

/// Adds the moves of a graph that was kept to what the profile cache of these options has.
void count_rule_uses(const ProfileOptions& options, const std::vector<Round>& rounds);

}  // namespace braid::cli
