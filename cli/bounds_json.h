#pragma once

#include <nlohmann/json_fwd.hpp>

#include "schedule/bounds.h"

namespace braid::cli {

/// The form in which every command tells bounds: docs/formats.md.
nlohmann::ordered_json bounds_json(const Bounds& bounds);

}  // namespace braid::cli
