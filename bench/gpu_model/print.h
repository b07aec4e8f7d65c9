#pragma once

#include <cstdio>
#include <vector>

#include <nlohmann/json.hpp>

#include "simulate.h"
#include "summary.h"

namespace braid::gpu_model {

void print_head(std::FILE* out);
/// A line of the table, as soon as the row is simulated.
void print_row(std::FILE* out, const SimulatedRow& row);
void print_summary(std::FILE* out, const Summary& summary);

nlohmann::ordered_json json_of(const SimulatedRow& row);
nlohmann::ordered_json json_of(const Summary& summary);

}  // namespace braid::gpu_model
