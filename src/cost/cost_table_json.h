#pragma once

#include <string>
#include <string_view>

#include "cost/cost_table.h"

namespace braid {

/// A cost table as JSON, an operator per line; docs/formats.md describes it. `conditions` tell on
/// what machine it was measured, and how.
std::string to_json(const CostTable& table, std::string_view conditions);

/// Reads that form. Throws Model, with the place, if it is anything else.
CostTable cost_table_from_json(std::string_view text, std::shared_ptr<const CostModel> otherwise);

}  // namespace braid
