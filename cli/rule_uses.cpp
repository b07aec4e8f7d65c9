#include "cli/rule_uses.h"

namespace braid::cli {

std::vector<RuleUse> known_rule_uses(const ProfileOptions& options) {
  std::optional<ProfileCache> cache = open_profile_cache(options);
  return cache ? cache->find_rule_uses() : std::vector<RuleUse>{};
}

void count_rule_uses(const ProfileOptions& options, const std::vector<Round>& rounds) {
  if (rounds.empty()) return;
  std::vector<RuleUse> uses;
  for (const RuleCount& rule : rule_counts(rounds)) uses.push_back({rule.name, rule.count, 1});
  ProfileOptions writing = options;
  writing.measure = true;  // opens the cache to be written to
  if (std::optional<ProfileCache> cache = open_profile_cache(writing)) cache->add_rule_uses(uses);
}

}  // namespace braid::cli
