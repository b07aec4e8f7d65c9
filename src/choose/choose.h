#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "choose/settlement.h"
#include "device/device.h"
#include "graph/quotas.h"
#include "measure/profile.h"
#include "plan/constraints.h"
#include "schedule/memory_budget.h"

namespace braid {

/// How a Plan is found.
struct PlanOptions {
  std::string scheduler = "braid";
  /// A search may take longer than loading the model. What is simulated is always searched so.
  bool thorough = false;
  int streams = 0;  ///< at most this many; 0: as many as the device has
  /// A Plan in its JSON form (plan/json.h), to follow instead of asking the scheduler.
  std::optional<std::string> given = {};
  std::string given_name = {};  ///< of its file, for messages
  /// The given Plan may have been made for another simulated device: it is taken over to this one.
  bool rejudge = false;
  /// A Plan of the graph that a searching scheduler begins with, beside others; it need not be
  /// placed.
  std::optional<Plan> start = {};
  /// The text of an edits file (plan/edits.h) that the Plan must obey, wherever it comes from.
  std::optional<std::string> edits = {};
  /// The arena has at most this many bytes: the fastest Plan found that fits (schedule/
  /// memory_budget.h). 0: as large as the scheduler makes it.
  std::int64_t arena_budget = 0;
  /// Searching schedulers go on for this long, and until they have tried this many changes:
  /// whichever is given, and if both are, whichever comes first. With steps alone no clock is read,
  /// so that the same Plan comes out every time. Both 0: steps by the size of the graph, ten
  /// seconds at most.
  double search_seconds = 0;
  int search_steps = 0;
  /// Debug: shuffle the Plan (plan/shuffle.h).
  std::optional<std::uint64_t> shuffle_seed = {};
};

/// What a Plan is chosen for.
struct ChoiceSubject {
  const Graph& lowered;
  const Profile& profile;
  const std::vector<Constraint>& constraints;
  const Device& device;
};

/// A Plan that verify() has passed, and why it was taken if others were tried.
struct Kept {
  Plan plan;
  std::string reason = {};
  std::optional<SearchReport> search = {};    ///< of all searches together; none if there was none
  std::optional<Settlement> settlement = {};  ///< nothing if no contest on the device settled it
};

/// Which Plan is kept, from the first to the last word:
/// 1. a given Plan, or else the fastest within the memory budget, or else the scheduler's own;
/// 2. if that takes much more memory than one operator after another, the fastest that does not;
/// 3. of all that came near it in a search, the fastest in models that the search has not seen.
///
/// Throws Quota if the Plan needs more memory than the quotas or the budget allow, before that is
/// taken; Model if a given Plan is malformed, made for another graph or device, or may go wrong;
/// Usage if there is no such scheduler.
Kept choose(const ChoiceSubject& subject, const PlanOptions& options, const Quotas& quotas,
            const Progress& progress);

/// How Plans of less memory are looked for. What is given must outlive it.
BudgetOptions thrift_options(const ChoiceSubject& subject, const PlanOptions& options, Judge& judge,
                             const Progress& progress);

}  // namespace braid
