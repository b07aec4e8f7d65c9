#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "contest.h"

namespace braid::kernels_bench {

/// A row for each way of each product; the way that lowering takes has a star.
std::string table(const Products& products, const Results& results);

nlohmann::ordered_json json_of(const Products& products, const Results& results);

}  // namespace braid::kernels_bench
