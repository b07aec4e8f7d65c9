#include "cli/contenders.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "cli/optimise_modes.h"

namespace braid::cli {
namespace {

/// A graph of the model, with its costs.
struct ContenderGraph {
  std::string mode;
  std::shared_ptr<const Optimised> found;
  std::shared_ptr<const Costed> costed;
};

std::shared_ptr<const Optimised> search(std::shared_ptr<const Canonical> model,
                                        const Device& device, PipelineOptions stages,
                                        const OptimiseMode& mode) {
  stages.costs.remeasure = false;  // once is enough, for the graph as it is
  auto found =
      std::make_shared<const Optimised>(optimised(std::move(model), device, stages, *mode.how));
  if (found->report.stopped == OptimiseStop::Cancelled)
    raise(ErrorKind::Cancelled, "stopped while optimising");
  return found;
}

std::vector<ContenderGraph> graphs_of(const Graph& graph, const Device& device,
                                      const std::vector<OptimiseMode>& modes,
                                      const PipelineOptions& stages) {
  const auto given = std::make_shared<const Canonical>(canonical(Graph(graph), device, stages));
  std::vector<ContenderGraph> graphs;
  for (const OptimiseMode& mode : modes) {
    const auto found = mode.how ? search(given, device, stages, mode) : nullptr;
    const auto& model = found ? found->model : given;
    graphs.push_back(
        {mode.name, found, costed(model, lowered(*model, device, stages), device, stages)});
  }
  return graphs;
}

void check_one_plan(const std::vector<std::string>& schedulers,
                    const std::vector<OptimiseMode>& modes, bool loads) {
  if (schedulers.size() * modes.size() != 1 || loads)
    raise(ErrorKind::Usage, "--save-plan keeps one Plan; name one model and one of --schedulers");
}

/// Whatever names operators is about the graph as it is.
void check_names(const std::vector<OptimiseMode>& modes, const PipelineOptions& how) {
  const bool has_plain =
      std::ranges::any_of(modes, [](const OptimiseMode& mode) { return !mode.how; });
  if (how.plan.given && !has_plain)
    raise(ErrorKind::Usage,
          "--load-plan names operators of the graph as it is; add none to "
          "--optimise");
  if (how.plan.edits && (modes.size() > 1 || !has_plain))
    raise(ErrorKind::Usage,
          "--edits names operators, which --optimise may replace; leave one of them out");
}

}  // namespace

std::string PreparedModel::label() const { return contender_label(scheduler, optimise); }

void add_contender_options(OptionSet& add, ContenderOptions& options) {
  add.required_texts("MODEL,-m,--model,--onnx", options.models, "ONNX files, or zoo:NAME");
  add_shape_options(add, options.model);
  add_batch_option(add, options.model);
  add_run_options(add, options.settings);
  add_input_options(add, options.settings);
  add_plan_options(add, options.plan);
  add.real("--optimise-seconds,--optimize-seconds", options.optimise_seconds,
           "Let a search for a better graph take so long");
}

std::vector<PreparedModel> prepare_contenders(
    const Graph& graph, const Device& device, const ContenderOptions& options, PipelineOptions how,
    const std::function<bool(const std::string&)>& checked) {
  follow(options.plan, how);
  const auto modes = chosen_optimise_modes(options.optimise, options.optimise_seconds);
  check_names(modes, how);
  const auto loaded = std::exchange(how.plan.given, std::nullopt);
  const std::vector<std::string> names = chosen_schedulers(options.schedulers);
  if (!options.plan.save.empty()) check_one_plan(names, modes, loaded.has_value());
  if (std::ranges::count(names, how.plan.scheduler) == 0) how.plan.scheduler = names[0];
  std::vector<PreparedModel> contenders;
  const auto graphs = graphs_of(graph, device, modes, how);
  const auto add = [&](const std::string& name, const ContenderGraph& from) {
    contenders.push_back({.scheduler = name,
                          .optimise = from.mode,
                          .found = from.found,
                          .prepared = runnable(planned(from.costed, device, how), device, how)});
  };
  for (const std::string& name : names) {
    how.plan.scheduler = name;
    how.contest = checked(name);
    for (const ContenderGraph& from : graphs) add(name, from);
  }
  if (loaded) {
    how.plan.given = loaded;
    add("loaded", *std::ranges::find(graphs, "none", &ContenderGraph::mode));
  }
  save_plan(options.plan, contenders[0].prepared);
  return contenders;
}

}  // namespace braid::cli
