#include "cli/planned_model.h"

namespace braid::cli {

void add_planning_options(OptionSet& add, PlanningArguments& arguments, const std::string& also) {
  add_model_argument(add, arguments.model);
  add_batch_option(add, arguments.model);
  add_run_options(add, arguments.settings);
  add_input_options(add, arguments.settings);
  add_scheduler_option(add, arguments.settings);
  add.integer("--streams", arguments.settings.stages.plan.streams,
              "Plan for at most so many streams; 0: as many as --threads, or as the device has", 0,
              4096);
  add_plan_options(add, arguments.plan, also);
  add_profile_flag(add, arguments.settings);
  for (const char* other : {"--scheduler", "--streams", "--plan-seconds", "--plan-steps"})
    add.excludes("--load-plan", other, "a loaded Plan is followed, no scheduler is asked");
  idle_unless_searched(add, [&settings = arguments.settings] {
    return std::vector{settings.stages.plan.scheduler};
  });
  idle_if_simulated(add, arguments.settings, {"--exact", "--profile"});
}

void add_numbers_are_idle(OptionSet& add, const PlanningArguments& arguments) {
  const auto why = [] { return std::string("a Plan depends on the shapes of inputs only"); };
  add.idle("--val-range", why);
  add.idle("--seed", [why, &files = arguments.settings.load_inputs] {
    return files.empty() ? why() : std::string();
  });
}

PlannedModel plan_model(const PlanningArguments& arguments, Until until, const Progress& progress,
                        const std::function<void(PipelineOptions&)>& adjust) {
  const RunSettings& settings = arguments.settings;
  PlannedModel planned;
  planned.device = open_device(settings);
  ModelWithInputs model =
      load_model(arguments.model, settings.load_inputs, settings.random, progress);
  planned.random = model.random;
  PipelineOptions stages = pipeline_options(settings, arguments.model, progress);
  follow(arguments.plan, stages);
  if (adjust) adjust(stages);
  Planned plan = to_plan(std::move(model.graph), *planned.device, stages);
  planned.prepared = until == Until::Runnable || stages.contest
                         ? runnable(std::move(plan), *planned.device, stages)
                         : Runnable{std::move(plan)};
  if (until == Until::Runnable) {
    planned.inputs = model.make_inputs();
    planned.named_inputs = all_inputs(model, planned.inputs);
  }
  save_plan(arguments.plan, planned.prepared);
  return planned;
}

}  // namespace braid::cli
