#include "cli/contenders.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/optimise_modes.h"
#include "graph/hash.h"

namespace braid::cli {
namespace {

/// A graph of the model, with its costs.
struct ContenderGraph {
  std::string mode;
  std::shared_ptr<const Optimised> found;
  std::shared_ptr<const Costed> costed;
  std::optional<Plan> start = {};  ///< that a search of graphs found for it
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

/// Searches of graphs look for Plans, too. Each graph begins with the one found for it, that as it
/// was given no less than the others.
void find_starts(std::vector<ContenderGraph>& graphs) {
  for (ContenderGraph& graph : graphs)
    for (const ContenderGraph& other : graphs) {
      if (!other.found || (graph.found && graph.found != other.found)) continue;
      const Planned& planned = graph.found ? other.found->after : other.found->before;
      if (planned.plan.graph == hash(graph.costed->lowered.graph, HashWeights::TypesOnly))
        graph.start = planned.plan;
    }
}

/// A Plan that is loaded says in which ways the graph as it is given runs, under all schedulers.
std::vector<ContenderGraph> graphs_of(const Graph& graph, const Device& device,
                                      const std::vector<OptimiseMode>& modes,
                                      const PipelineOptions& stages) {
  const auto given = std::make_shared<const Canonical>(canonical(Graph(graph), device, stages));
  PipelineOptions rewritten = stages;
  rewritten.plan.given = std::nullopt;
  std::vector<ContenderGraph> graphs;
  for (const OptimiseMode& mode : modes) {
    const PipelineOptions& how = mode.how ? rewritten : stages;
    const auto found = mode.how ? search(given, device, how, mode) : nullptr;
    const auto& model = found ? found->model : given;
    graphs.push_back({mode.name, found, costed(model, lowered(*model, device, how), device, how)});
  }
  find_starts(graphs);
  return graphs;
}

void check_one_plan(std::size_t count, bool loads) {
  if (count != 1 || loads)
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

/// A contender before it takes memory.
struct PlannedContender {
  std::string scheduler;
  const ContenderGraph& from;
  Planned planned;
  PipelineOptions how;
};

/// While a Plan and its rivals meet, each has an arena.
constexpr int kRivals = 2;

void check_memory_of(const std::vector<PlannedContender>& contenders,
                     const ContenderOptions& options, const Device& device) {
  std::map<const Costed*, std::int64_t> packed;  // of each graph, once for each contender
  std::vector<MemoryNeed> needs = options.others;
  std::int64_t largest_arena = 0;
  for (const PlannedContender& one : contenders) {
    const Graph& lowered = one.planned.lowered();
    const auto [at, is_new] = packed.try_emplace(one.planned.costed.get(), 0);
    if (is_new) at->second = device.packed_bytes(lowered);
    const std::int64_t arenas = device.arena_bytes(lowered, one.planned.plan, options.callers);
    if (one.how.contest) largest_arena = std::max(largest_arena, one.planned.plan.arena_bytes);
    needs.push_back({contender_label(one.scheduler, one.from.mode),
                     at->second + arenas + output_bytes(lowered) * options.callers});
  }
  const Graph& graph = contenders[0].planned.graph();
  needs.push_back({"inputs, and outputs to compare", input_bytes(graph) + 2 * output_bytes(graph)});
  if (largest_arena > 0) needs.push_back({"arenas of rivals", kRivals * largest_arena});
  check_memory_together(needs, contenders[0].how.quotas,
                        fmt::format("name fewer --schedulers{}, or a smaller --batch",
                                    options.callers > 1 ? ", fewer callers (--concurrency)" : ""));
}

}  // namespace

std::string PreparedModel::label() const { return contender_label(scheduler, optimise); }

void add_contender_options(OptionSet& add, ContenderOptions& options, std::vector<int>* threads) {
  add.required_texts("MODEL,-m,--model,--onnx", options.models, "ONNX files, or zoo:NAME");
  add_shape_options(add, options.model);
  add_batch_option(add, options.model);
  add_run_options(add, options.settings, threads);
  add_input_options(add, options.settings);
  add_plan_options(add, options.plan);
  add.section(Section::How);
  add.real("--optimise-seconds,--optimize-seconds", options.optimise_seconds,
           "Let a search for a better graph take so long");
}

void add_contender_conditions(OptionSet& add, const ContenderOptions& options) {
  idle_if_simulated(
      add, options.settings,
      {"--exact", "--iterations", "--duration", "--seed", "--val-range", "--remeasure"});
  idle_unless_searched(add, [&names = options.schedulers] {
    return names.empty() ? std::vector<std::string>{"all"} : names;
  });
}

std::vector<PreparedModel> prepare_contenders(
    const Graph& graph, const Device& device, const ContenderOptions& options, PipelineOptions how,
    const std::function<bool(const std::string&)>& checked) {
  follow(options.plan, how);
  const auto modes = chosen_optimise_modes(options.optimise, options.optimise_seconds);
  check_names(modes, how);
  const std::vector<std::string> names = chosen_schedulers(options.schedulers);
  const std::vector<int> limits = options.streams.empty() ? std::vector<int>{0} : options.streams;
  if (!options.plan.save.empty())
    check_one_plan(names.size() * modes.size() * limits.size(), how.plan.given.has_value());
  if (std::ranges::count(names, how.plan.scheduler) == 0) how.plan.scheduler = names[0];
  const auto graphs = graphs_of(graph, device, modes, how);
  const auto loaded = std::exchange(how.plan.given, std::nullopt);
  std::vector<PlannedContender> planned_ones;
  const auto add = [&](const std::string& name, const ContenderGraph& from) {
    planned_ones.push_back({name, from, planned(from.costed, device, how), how});
  };
  for (const int limit : limits)
    for (const std::string& name : names) {
      how.plan.streams = limit;
      how.plan.scheduler = name;
      how.contest = checked(name);
      for (const ContenderGraph& from : graphs) {
        how.plan.start = from.start;
        add(name, from);
      }
    }
  if (loaded) {
    how.plan.streams = 0;
    how.plan.given = loaded;
    add("loaded", *std::ranges::find(graphs, "none", &ContenderGraph::mode));
  }
  if (!device.is_simulated()) check_memory_of(planned_ones, options, device);
  std::vector<PreparedModel> contenders;
  for (PlannedContender& one : planned_ones)
    contenders.push_back({.scheduler = one.scheduler,
                          .optimise = one.from.mode,
                          .found = one.from.found,
                          .prepared = runnable(std::move(one.planned), device, one.how),
                          .streams_limit = one.how.plan.streams,
                          .threads = device.spec().streams});
  save_plan(options.plan, contenders[0].prepared);
  return contenders;
}

}  // namespace braid::cli
