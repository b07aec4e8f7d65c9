#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "pipeline/contest_of_graphs.h"

namespace braid::cli {

/// What was given and what became of it, each with its Plan.
struct FreshContestants {
  std::string given;  ///< a file, or zoo:NAME
  const Planned& before;
  std::string written;  ///< a file
  const Planned& after;
};

/// What `braid compare --time` of a fresh process told of two models.
struct FreshContest {
  std::optional<ContestResult> result = {};  ///< none if it came to no end
  /// Why the second is not to be kept: not surely faster, other numbers, or a failure; empty if it
  /// won, or if the user interrupted it.
  std::string why_not = {};
  bool interrupted = false;
};

/// Lets a new process of this program run both models by turns. Whatever this process has done to
/// its memory and caches until now, the new one starts from the files. `options` are more words of
/// its command line.
FreshContest fresh_contest(const FreshContestants& models, const std::vector<std::string>& options,
                           const Progress& progress);

}  // namespace braid::cli
