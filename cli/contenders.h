#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/run_options.h"

namespace braid::cli {

/// What is set side by side: schedulers, on each of some models.
struct ContenderOptions {
  std::vector<std::string> models;
  ModelArgument model;
  RunSettings settings;
  PlanFiles plan;
  std::string schedulers = "all";
};
/// Adds all but --schedulers.
void add_contender_options(OptionSet& add, ContenderOptions& options);

/// A model under one scheduler, or with a loaded Plan.
struct PreparedModel {
  std::string name;  ///< the scheduler's, or "loaded"
  Runnable prepared;
};

/// Plans a graph once for each of the schedulers, and for the Plan to load if there is one; they
/// share all stages before that. `how` says what else is wanted; of the Plans that `checked`
/// names, those that are not faster than sequential's on the device are replaced by it. Saves the
/// Plan if that is asked for: throws Usage if there are several.
std::vector<PreparedModel> prepare_contenders(
    const Graph& graph, const Device& device, const std::string& schedulers, const PlanFiles& files,
    PipelineOptions how, const std::function<bool(const std::string&)>& checked);

}  // namespace braid::cli
