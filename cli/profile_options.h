#pragma once

#include "cli/option_set.h"
#include "measure/profile.h"

namespace braid::cli {

/// Adds --profile-cache and --no-profile-cache. Warnings go to standard error.
void add_cache_options(OptionSet& add, ProfileOptions& options);
/// Adds these and --load-costs.
void add_profile_options(OptionSet& add, ProfileOptions& options);
/// Adds --remeasure, for commands that measure or make a Plan; --profile comes with it.
void add_remeasure_flag(OptionSet& add, ProfileOptions& options);

}  // namespace braid::cli
