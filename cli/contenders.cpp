#include "cli/contenders.h"

#include <utility>

#include "base/error.h"

namespace braid::cli {

void add_contender_options(OptionSet& add, ContenderOptions& options) {
  add.required_texts("MODEL,-m,--model,--onnx", options.models, "ONNX files, or zoo:NAME");
  add_shape_options(add, options.model);
  add_batch_option(add, options.model);
  add_run_options(add, options.settings);
  add_plan_options(add, options.plan);
  add.text("--schedulers", options.schedulers, "Names separated by commas, or all", "NAMES");
}

std::vector<PreparedModel> prepare_contenders(
    const Graph& graph, const Device& device, const std::string& schedulers, const PlanFiles& files,
    PrepareOptions how, const std::function<bool(const std::string&)>& checked) {
  std::vector<PreparedModel> contenders;
  follow(files, how);
  const auto loaded = std::exchange(how.plan, std::nullopt);
  const std::vector<std::string> names = chosen_schedulers(schedulers);
  if (!files.save.empty() && (names.size() != 1 || loaded))
    raise(ErrorKind::Usage, "--save-plan keeps one Plan; name one model and one of --schedulers");
  for (const std::string& name : names) {
    how.scheduler = name;
    how.check_on_device = checked(name);
    contenders.push_back({.name = name, .prepared = prepare(graph, device, how)});
    how.profiled = contenders[0].prepared.profile;
  }
  if (loaded) {
    how.plan = loaded;
    contenders.push_back({.name = "loaded", .prepared = prepare(graph, device, how)});
  }
  save_plan(files, contenders[0].prepared);
  return contenders;
}

}  // namespace braid::cli
