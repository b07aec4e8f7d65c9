#include "cli/contenders.h"

#include <utility>

#include "base/error.h"

namespace braid::cli {

void add_contender_options(OptionSet& add, ContenderOptions& options) {
  add.required_texts("MODEL,-m,--model,--onnx", options.models, "ONNX files, or zoo:NAME");
  add_shape_options(add, options.model);
  add_batch_option(add, options.model);
  add_run_options(add, options.settings);
  add_input_options(add, options.settings);
  add_plan_options(add, options.plan);
}

std::vector<PreparedModel> prepare_contenders(
    const Graph& graph, const Device& device, const std::string& schedulers, const PlanFiles& files,
    PipelineOptions how, const std::function<bool(const std::string&)>& checked) {
  std::vector<PreparedModel> contenders;
  follow(files, how);
  const auto loaded = std::exchange(how.plan.given, std::nullopt);
  const std::vector<std::string> names = chosen_schedulers(schedulers);
  if (!files.save.empty() && (names.size() != 1 || loaded))
    raise(ErrorKind::Usage, "--save-plan keeps one Plan; name one model and one of --schedulers");
  const auto costed = to_costs(graph, device, how);
  const auto add = [&](const std::string& name) {
    contenders.push_back(
        {.name = name, .prepared = runnable(planned(costed, device, how), device, how)});
  };
  for (const std::string& name : names) {
    how.plan.scheduler = name;
    how.contest = checked(name);
    add(name);
  }
  if (loaded) {
    how.plan.given = loaded;
    add("loaded");
  }
  save_plan(files, contenders[0].prepared);
  return contenders;
}

}  // namespace braid::cli
