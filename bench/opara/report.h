#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "contest.h"
#include "shared/published.h"

namespace braid::opara_table {

/// The contests as Markdown tables: batch 1 in full, then ratios over the batches.
std::string markdown(const std::vector<Contest>& contests, const bench::Published& published);
nlohmann::ordered_json json_of(const Contest& contest, const bench::Published& published);

}  // namespace braid::opara_table
