#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "cli/model_argument.h"
#include "cli/option_set.h"
#include "cli/tensor_files.h"
#include "device/device.h"
#include "device/device_options.h"
#include "pipeline/stages.h"

namespace braid::cli {

/// Which device a command uses, and how.
struct DeviceSettings {
  std::string device = "cpu";
  DeviceOptions device_options;
  std::string pin = "auto";
  bool verbose = false;
};

/// With `threads`, --threads takes several.
void add_device_options(OptionSet& add, DeviceSettings& settings,
                        std::vector<int>* threads = nullptr);
/// Opens the device and tells on standard error what it is, if that is wanted.
std::unique_ptr<Device> open_device(const DeviceSettings& settings);

/// How a command runs models: the device, the scheduler, the steps before them, and the inputs.
struct RunSettings : DeviceSettings {
  PipelineOptions stages;
  bool no_canonicalise = false;
  std::vector<std::string> load_inputs;
  RandomInputs random;
};

void add_run_options(OptionSet& add, RunSettings& settings, std::vector<int>* threads = nullptr);
/// Adds --load-inputs, --seed and --val-range.
void add_input_options(OptionSet& add, RunSettings& settings);
/// Options that are for what runs: on a simulated device they change nothing, which is told.
void idle_if_simulated(OptionSet& add, const DeviceSettings& settings,
                       std::initializer_list<const char*> options);
/// --plan-seconds and --plan-steps change nothing where none of these schedulers searches.
void idle_unless_searched(OptionSet& add,
                          const std::function<std::vector<std::string>()>& schedulers_named);
void add_scheduler_option(OptionSet& add, RunSettings& settings);
/// What may stand behind --schedulers.
std::string schedulers_help();
/// The names of schedulers, in which "all" stands for all. Throws Usage if one is not known.
std::vector<std::string> chosen_schedulers(const std::vector<std::string>& wanted);

/// What these options and those of add_model_argument() say about the stages of a model.
PipelineOptions pipeline_options(const RunSettings& settings, const ModelArgument& model,
                                 const Progress& progress);

/// Files that keep a Plan, and what every Plan must obey.
struct PlanFiles {
  std::string load;
  std::string save;
  std::string edits;
  std::string mem_budget;
};

/// `--profile` and `--remeasure`, for commands that do not measure by themselves.
void add_profile_flag(OptionSet& add, RunSettings& settings);
/// `also` are more names for --save-plan.
void add_plan_options(OptionSet& add, PlanFiles& files, const std::string& also = {});
/// Reads what was named: the Plan to follow, the edits to obey, the memory to stay within.
void follow(const PlanFiles& files, PipelineOptions& options);
void save_plan(const PlanFiles& files, const Runnable& prepared);

}  // namespace braid::cli
