#include "choose/contest_memory.h"

#include <span>

#include <fmt/format.h>

#include "base/hash.h"
#include "device/kernel_identity.h"
#include "plan/json.h"

namespace braid {
namespace {

/// Plans name the graph that they are for.
std::string hash_of(const Graph& lowered, const Plan& plan) {
  const std::string text = to_json(lowered, plan);
  return to_string(hash_bytes(std::as_bytes(std::span(text))));
}

std::string signature_of(const Graph& lowered, const Plan& champion, const Plan& challenger) {
  return fmt::format("contest: Plan {} against {}", hash_of(lowered, challenger),
                     hash_of(lowered, champion));
}

}  // namespace

std::string contest_conditions(const ChoiceSubject& subject) {
  return with_identity(subject.profile.conditions,
                       kernel_identity(subject.device, subject.lowered));
}

std::optional<RememberedContest> remembered_contest(ProfileCache& cache,
                                                    std::string_view conditions,
                                                    const Graph& lowered, const Plan& champion,
                                                    const Plan& challenger) {
  auto kept = cache.find_contest(conditions, signature_of(lowered, champion, challenger));
  if (!kept) return std::nullopt;
  HeldContest told = told_of(champion, challenger, kept->times);
  told.held_at = kept->held_at;
  if (const auto known = contests_from_json(kept->how); known && known->size() == 1)
    told.others_share = known->front().others_share;
  return RememberedContest{std::move(kept->times), std::move(told)};
}

void remember_contest(ProfileCache& cache, std::string_view conditions, const Graph& lowered,
                      const Plan& champion, const Plan& challenger,
                      const RememberedContest& contest) {
  cache.keep_contest(conditions, signature_of(lowered, champion, challenger), contest.times,
                     to_json({contest.told}));
}

}  // namespace braid
