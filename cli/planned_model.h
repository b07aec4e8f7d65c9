#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/model_argument.h"
#include "cli/option_set.h"
#include "cli/run_options.h"
#include "device/device.h"
#include "pipeline/stages.h"

namespace braid::cli {

/// What every command is told that plans one model: `plan`, `explain`, `run` and `trace`.
struct PlanningArguments {
  ModelArgument model;
  RunSettings settings;
  PlanFiles plan;
  bool quiet = false;
};

/// `also` are more names for --save-plan.
void add_planning_options(OptionSet& add, PlanningArguments& arguments,
                          const std::string& also = {});

/// For commands that run nothing: --val-range changes nothing, nor does --seed unless files give
/// some of the inputs.
void add_numbers_are_idle(OptionSet& add, const PlanningArguments& arguments);

/// A model on its device.
struct PlannedModel {
  std::unique_ptr<Device> device;
  std::vector<Tensor> inputs;       ///< none unless it is runnable
  std::vector<std::string> random;  ///< inputs that were not given
  /// All inputs of the model in its order: also those that became constants.
  std::vector<NamedTensor> named_inputs;
  Runnable prepared;
};

/// How far a command needs a model.
enum class Until {
  Planned,  ///< not runnable, unless a contest makes it so
  Runnable
};

/// Loads, plans and, if that was asked for, saves the Plan. `adjust` has the last word on how.
PlannedModel plan_model(const PlanningArguments& arguments, Until until, const Progress& progress,
                        const std::function<void(PipelineOptions&)>& adjust = {});

}  // namespace braid::cli
