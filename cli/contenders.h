#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "choose/memory_check.h"
#include "cli/run_options.h"
#include "pipeline/optimise.h"

namespace braid::cli {

/// What is set side by side: schedulers and graphs, of each of some models.
struct ContenderOptions {
  std::vector<std::string> models;
  ModelArgument model;
  RunSettings settings;
  PlanFiles plan;
  std::vector<std::string> schedulers = {"all"};
  std::vector<std::string> optimise = {"none"};  ///< modes of cli/optimise_modes.h
  double optimise_seconds = 20;
  int callers = 1;                      ///< at once, of each contender in turn
  std::vector<MemoryNeed> others = {};  ///< what takes memory beside the contenders
  std::vector<int> streams = {};        ///< that Plans may use, one after the other; empty: all
};
/// Adds all but --schedulers, --optimise and --streams. With `threads`, --threads takes several.
void add_contender_options(OptionSet& add, ContenderOptions& options,
                           std::vector<int>* threads = nullptr);

/// Tells which of these, and of the options of a contest, change nothing.
void add_contender_conditions(OptionSet& add, const ContenderOptions& options);

/// A model under one scheduler, or with a loaded Plan.
struct PreparedModel {
  std::string scheduler;  ///< or "loaded"
  std::string optimise = "none";
  std::shared_ptr<const Optimised> found = {};  ///< where the graph comes from, if it is optimised
  Runnable prepared;
  int streams_limit = 0;  ///< that its Plan may use; 0: what the device has
  int threads = 0;        ///< of its device

  std::string label() const;
};

/// Plans a model once for each graph, limit of streams and scheduler that is wanted, and for the
/// Plan to load if there is one, which is of the graph as it is; they share all stages before that.
/// There is one search of each mode, by Plans of `braid` if that is among the schedulers. `how`
/// says what else is wanted; of the Plans that `checked` names, those that are not faster than
/// sequential's on the device are replaced by it. Saves the Plan if that is asked for: throws Usage
/// if there are several. Throws Quota, before any of them is made runnable, if there is no memory
/// for all.
std::vector<PreparedModel> prepare_contenders(
    const Graph& graph, const Device& device, const ContenderOptions& options, PipelineOptions how,
    const std::function<bool(const std::string&)>& checked);

}  // namespace braid::cli
