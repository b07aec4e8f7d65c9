#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "pipeline/rewrite_outlook.h"

namespace braid::cli {

/// What rewriting could give, as `explain` tells it: which bound holds the Plan back, and a table
/// with a row per rule.
std::string outlook_text(const RewriteOutlook& outlook);
nlohmann::ordered_json outlook_json(const RewriteOutlook& outlook);

}  // namespace braid::cli
