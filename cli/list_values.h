#pragma once

#include <string>
#include <vector>

#include "cli/option_row.h"

namespace braid::cli {

/// The values in the words of a list: {"a=1,b=2", "c:[3,4]"} → {"a=1", "b=2", "c:[3,4]"}. Throws
/// Usage, telling both, if `option` is given two values for one name.
std::vector<std::string> list_values(const std::vector<std::string>& words, ListOf kind,
                                     const std::string& option);

}  // namespace braid::cli
