#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "pipeline/contest_of_graphs.h"

namespace braid::cli {

/// The object `time` of `compare --json` (docs/formats.md).
nlohmann::ordered_json contest_json(const ContestResult& result);
/// Reads it. Throws Model if it has another form.
ContestResult contest_from_json(const nlohmann::json& json);

/// The line of `compare --time`.
std::string contest_text(const ContestResult& result);

}  // namespace braid::cli
