#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "published.h"

namespace braid::autograph_table {

/// The tables as Markdown, from the benchmark's own JSON: `contests`, `fast_groups`, `ablations`
/// and `sweep`, as far as they are there.
std::string markdown(const nlohmann::ordered_json& document, const PublishedTable& published);

/// Adds to the JSON of a contest the ratios of the table, draw by draw, and what was published of
/// the same.
void add_ratios(nlohmann::ordered_json& contest, const PublishedTable& published);

/// Appends what an earlier run found to a document, so that tables can be made of several runs.
void append(nlohmann::ordered_json& document, const nlohmann::ordered_json& other);

}  // namespace braid::autograph_table
