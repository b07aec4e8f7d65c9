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

std::optional<ContestTimes> remembered_contest(ProfileCache& cache, std::string_view conditions,
                                               const Graph& lowered, const Plan& champion,
                                               const Plan& challenger) {
  return cache.find_contest(conditions, signature_of(lowered, champion, challenger));
}

void remember_contest(ProfileCache& cache, std::string_view conditions, const Graph& lowered,
                      const Plan& champion, const Plan& challenger, const ContestTimes& times) {
  cache.keep_contest(conditions, signature_of(lowered, champion, challenger), times);
}

}  // namespace braid
