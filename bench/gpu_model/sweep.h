#pragma once

#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

#include "simulate.h"

namespace braid::gpu_model {

/// Simulates networks at growing batches, prints a line for each, and gives them as JSON: IOS's
/// schedules of Inception-v3, and Opara's networks as PyTorch has them.
nlohmann::ordered_json sweep(Simulations& simulations, const std::string& only, std::FILE* out);

}  // namespace braid::gpu_model
