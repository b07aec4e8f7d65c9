#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "explain/reference_share.h"
#include "pipeline/stages.h"

namespace braid::cli {

ReferenceShare reference_share(const Planned& planned);

/// In a line for people; empty if all has kernels.
std::string text_of(const ReferenceShare& reference);
/// {"share": 0.41, "uses": {"GridSample (f16)": 2}}
nlohmann::ordered_json reference_json(const ReferenceShare& reference);

}  // namespace braid::cli
