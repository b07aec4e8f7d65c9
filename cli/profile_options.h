#pragma once

#include <string>

#include "cli/option_set.h"
#include "pipeline/profile.h"

namespace braid::cli {

/// How a command treats the profile cache.
struct ProfileArguments {
  std::string cache;
  bool no_cache = false;
  std::string costs;
};

/// Adds --profile-cache, --no-profile-cache and --load-costs.
void add_profile_options(OptionSet& add, ProfileArguments& arguments);

/// Warnings go to standard error.
ProfileOptions profile_options(const ProfileArguments& arguments, bool measure);

}  // namespace braid::cli
