#pragma once

#include <string>
#include <vector>

#include "pipeline/optimise.h"

namespace braid::cli {

/// The JSON of `optimize --json`, whose keys scripts rely on (docs/formats.md).
std::string optimise_json(const OptimiseReport& report);

/// What became of a model, for people: a table of before and after, the rules that were used, why
/// the search stopped, and, if the input came back, why. Simulated figures are marked. `notes` are
/// sentences about what was written.
std::string optimise_text(const Optimised& result, const std::string& model,
                          const std::vector<std::string>& notes);

/// "merge-groups x16, activate-before-concat x2"; empty if no rule was used.
std::string rules_text(const std::vector<RuleCount>& rules);

}  // namespace braid::cli
