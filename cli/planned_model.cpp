#include "cli/planned_model.h"

namespace braid::cli {

void add_planning_options(OptionSet& add, PlanningArguments& arguments, const std::string& also) {
  add_model_argument(add, arguments.model);
  add_batch_option(add, arguments.model);
  add_run_options(add, arguments.settings);
  add_scheduler_option(add, arguments.settings);
  add_plan_options(add, arguments.plan, also);
  add_profile_flag(add, arguments.settings);
}

PlannedModel plan_model(const PlanningArguments& arguments, const Progress& progress,
                        const std::function<void(PrepareOptions&)>& adjust) {
  const RunSettings& settings = arguments.settings;
  PlannedModel planned;
  planned.device = open_device(settings);
  ModelWithInputs model =
      load_model(arguments.model, settings.load_inputs, settings.random, progress);
  planned.inputs = std::move(model.inputs);
  PrepareOptions preparing = prepare_options(settings, arguments.model, progress);
  follow(arguments.plan, preparing);
  if (adjust) adjust(preparing);
  planned.prepared = prepare(std::move(model.graph), *planned.device, preparing);
  save_plan(arguments.plan, planned.prepared);
  return planned;
}

}  // namespace braid::cli
