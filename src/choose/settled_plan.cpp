#include "choose/settled_plan.h"

#include <fmt/format.h>

#include "base/error.h"
#include "choose/contest_memory.h"
#include "graph/hash.h"
#include "plan/json.h"

namespace braid {

SettledPlan::SettledPlan(const ChoiceSubject& subject, const PlanOptions& options,
                         const ProfileOptions& costs)
    : subject_(subject), options_(options), costs_(costs) {}

bool SettledPlan::is_asked_for_more() const {
  return options_.given || options_.start || options_.shuffle_seed || options_.search_seconds > 0 ||
         options_.search_steps > 0 || !costs_.costs.empty() || subject_.device.is_simulated();
}

std::string SettledPlan::graph() const {
  Hasher hasher;
  hasher.add(hash_with_names(subject_.lowered, HashWeights::TypesOnly));
  hasher.add(std::string_view(options_.scheduler));
  hasher.add(options_.streams);
  hasher.add(options_.arena_budget);
  hasher.add(std::string_view(options_.edits ? *options_.edits : ""));
  return to_string(hasher.finish());
}

std::optional<Kept> SettledPlan::find(const Quotas& quotas, const Progress& progress) const {
  if (is_asked_for_more() || costs_.remeasure) return std::nullopt;
  ProfileOptions reading = costs_;
  reading.measure = false;
  auto cache = open_profile_cache(reading);
  auto found = cache ? cache->find_plan(contest_conditions(subject_), graph()) : std::nullopt;
  if (!found) return std::nullopt;
  PlanOptions how = options_;
  how.given = std::move(found->plan);
  how.given_name = "the profile cache";
  try {
    Kept kept = choose(subject_, how, quotas, progress);
    kept.settlement = {.earlier = true,
                       .settled_at = found->settled_at,
                       .contests = contests_from_json(found->how)};
    kept.reason = earlier_text(*kept.settlement);
    return kept;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Model) throw;
    if (costs_.warn)
      costs_.warn(
          fmt::format("a Plan in the profile cache cannot be used ({}); the model is "
                      "planned anew",
                      error.message()));
    return std::nullopt;
  }
}

void SettledPlan::keep(const Kept& kept) const {
  if (is_asked_for_more()) return;
  const bool had_rivals = kept.settlement && kept.settlement->contests;
  if (auto cache = open_profile_cache(costs_))
    cache->keep_plan(contest_conditions(subject_), graph(), to_json(subject_.lowered, kept.plan),
                     to_json(had_rivals ? *kept.settlement->contests : std::vector<HeldContest>{}));
}

}  // namespace braid
