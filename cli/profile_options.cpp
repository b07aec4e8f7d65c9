#include "cli/profile_options.h"

#include <cstdio>

#include <fmt/format.h>

namespace braid::cli {

void add_profile_options(OptionSet& add, ProfileArguments& arguments) {
  add.text("--profile-cache", arguments.cache,
           "Keep measured times in this file instead of ~/.cache/braid/profiles.db", "FILE");
  add.flag("--no-profile-cache", arguments.no_cache, "Neither use nor keep measured times");
  add.text("--load-costs", arguments.costs, "Take costs from a table that `profile` wrote", "FILE");
}

ProfileOptions profile_options(const ProfileArguments& arguments, bool measure) {
  ProfileOptions options;
  options.measure = measure;
  options.use_cache = !arguments.no_cache;
  options.cache = arguments.cache;
  options.costs = arguments.costs;
  options.warn = [](const std::string& warning) {
    fmt::print(stderr, "braid: warning: {}\n", warning);
  };
  return options;
}

}  // namespace braid::cli
