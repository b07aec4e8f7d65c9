#pragma once

#include <string>

#include "contest.h"

namespace braid::autograph_table {

/// What the optimisation gains over the schedule that it begins with, on other GPUs, at other
/// batches, on all models of the zoo.
struct SweepCell {
  std::string model;
  Setting setting;
  SimulatedTime before = {};
  SimulatedTime after = {};
  Watched watched = {};
};
SweepCell sweep_cell(const std::string& model, const Setting& setting);

nlohmann::ordered_json json_of(const SweepCell& cell);

}  // namespace braid::autograph_table
