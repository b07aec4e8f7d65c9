#include "cli/profile_options.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/each_once.h"

namespace braid::cli {

void add_cache_options(OptionSet& add, ProfileOptions& options) {
  add.section(Section::How);
  add.cache("--profile-cache", options.cache,
            "Keep measured times in this file instead of ~/.cache/braid/profiles.db");
  // CLI11: the flag sets it to false.
  add.flag("!--no-profile-cache", options.use_cache, "Neither use nor keep measured times");
  add.excludes("--profile-cache", "--no-profile-cache", "the file would not be used");
  // A command opens the cache several times.
  options.warn = each_once(
      [](const std::string& warning) { fmt::print(stderr, "braid: warning: {}\n", warning); });
}

void add_profile_options(OptionSet& add, ProfileOptions& options) {
  add_cache_options(add, options);
  add.text("--load-costs", options.costs, "Take costs from a table that `profile` wrote", "FILE");
}

void add_remeasure_flag(OptionSet& add, ProfileOptions& options) {
  add.section(Section::How);
  add.flag("--remeasure", options.remeasure,
           "Measure again what is known, and settle again which Plan is kept, e.g. after a noisy "
           "hour; the new replaces the old");
}

}  // namespace braid::cli
