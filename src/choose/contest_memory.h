#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "choose/choose.h"
#include "choose/contest.h"
#include "choose/settlement.h"
#include "cost/profile_cache.h"

namespace braid {

/// The machine, how was measured on it, and the kernels of the graph: what a contest holds for.
std::string contest_conditions(const ChoiceSubject& subject);

/// Two Plans that met, and what is told of it.
struct RememberedContest {
  ContestTimes times;
  HeldContest told;
};

/// How two Plans of a graph did on an earlier day under the same conditions; nothing if they never
/// met. A start that finds it makes only the winner runnable.
std::optional<RememberedContest> remembered_contest(ProfileCache& cache,
                                                    std::string_view conditions,
                                                    const Graph& lowered, const Plan& champion,
                                                    const Plan& challenger);
void remember_contest(ProfileCache& cache, std::string_view conditions, const Graph& lowered,
                      const Plan& champion, const Plan& challenger,
                      const RememberedContest& contest);

}  // namespace braid
