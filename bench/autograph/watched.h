#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pipeline/optimise.h"

namespace braid::autograph_table {

/// An improvement of a search, with the time since the whole optimisation began.
struct WatchedGain {
  double seconds = 0;            ///< of the clock on the wall
  double processor_seconds = 0;  ///< of this process, which a busy machine does not lengthen
  std::int64_t candidates = 0;
  double ratio = 1;
  std::string_view step = {};
};

/// What an optimisation gave, and what it took.
struct Watched {
  Optimised optimised;
  double seconds = 0;
  double processor_seconds = 0;
  std::vector<WatchedGain> gains = {};

  /// The first gain with 95 % of what the last one has; null if there is none.
  const WatchedGain* nearly_all() const;
};

/// Optimises with the clocks running. What operators cost is modelled, and no cache is read.
Watched watch(const std::shared_ptr<const Canonical>& model, const Device& device,
              const OptimiseOptions& how);

/// The stages' options by which every graph of the benchmark is treated.
PipelineOptions stage_options();

/// What the report and the clocks say, gains over time included.
nlohmann::ordered_json json_of(const Watched& watched);

}  // namespace braid::autograph_table
