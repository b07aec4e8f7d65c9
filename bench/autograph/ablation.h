#pragma once

#include <string>
#include <vector>

#include "contest.h"

namespace braid::autograph_table {

/// The optimisation without one of its parts.
struct Ablation {
  std::string title;
  SimulatedTime before = {};
  SimulatedTime after = {};
  Watched watched = {};
};

/// All of them for a model, the whole optimisation first.
std::vector<Ablation> ablations(const std::string& model, const Setting& setting);

nlohmann::ordered_json json_of(const std::string& model, const Setting& setting,
                               const std::vector<Ablation>& ablations);

}  // namespace braid::autograph_table
