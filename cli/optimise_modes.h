#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/optimise_options.h"

namespace braid::cli {

/// Where the graph of a contender comes from: "none", it is the model's own; "sum", a search made
/// the sum of its operators small; "mixed", a search had the device judge.
struct OptimiseMode {
  std::string name;
  std::optional<OptimiseOptions> how = {};  ///< none: it is not optimised
};

/// The modes of these names. Each search takes so many seconds. Throws Usage if there is no
/// such mode, or if one is named twice.
std::vector<OptimiseMode> chosen_optimise_modes(const std::vector<std::string>& wanted,
                                                double seconds);

/// What a contender is called: "braid", or "braid + mixed".
std::string contender_label(const std::string& scheduler, const std::string& mode);

}  // namespace braid::cli
