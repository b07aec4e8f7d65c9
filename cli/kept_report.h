#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "choose/settlement.h"

namespace braid::cli {

/// Adds `kept`, why this Plan was taken, and `settled`, by which contests (docs/formats.md).
void add_kept(nlohmann::ordered_json& out, const std::string& reason,
              const std::optional<Settlement>& settlement);

}  // namespace braid::cli
