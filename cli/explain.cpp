#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "choose/choose.h"
#include "cli/command.h"
#include "cli/explain_report.h"
#include "cli/planned_model.h"
#include "cli/progress_line.h"
#include "device/sim/sim_device.h"
#include "devices/open.h"

namespace braid::cli {
namespace {

constexpr std::string_view kSimulated = "sim:";
constexpr std::size_t kMostPairs = 100;

struct ExplainArguments : PlanningArguments {
  std::vector<std::string> pairs;  ///< two and two
  int top = 10;
  bool pareto = false;
  JsonOutput json;
};

std::vector<NodeId> nodes_called(const Graph& graph, const NodeNames& names,
                                 const std::string& text) {
  const bool glob = names.called(text).empty() && text.find_first_of("*?") != std::string::npos;
  std::vector<NodeId> found;
  for (NodeId id : names.find(NodePattern{text, glob}))
    if (!is_view(graph.node(id))) found.push_back(id);
  if (found.empty())
    raise(ErrorKind::Usage, fmt::format("{} only gives bytes another shape: it takes no time and "
                                        "has no place in a row; ask about who makes them",
                                        quote(text)));
  return found;
}

std::vector<std::pair<NodeId, NodeId>> asked_pairs(const Runnable& prepared,
                                                   const ExplainArguments& options) {
  std::vector<std::pair<NodeId, NodeId>> pairs;
  if (options.pairs.empty()) return pairs;
  const NodeNames names(prepared.lowered(), prepared.costed->canonical->original);
  for (std::size_t i = 0; i < options.pairs.size(); i += 2)
    for (NodeId a : nodes_called(prepared.lowered(), names, options.pairs[i]))
      for (NodeId b : nodes_called(prepared.lowered(), names, options.pairs[i + 1])) {
        if (a != b) pairs.emplace_back(a, b);
        if (pairs.size() > kMostPairs)
          raise(ErrorKind::Usage, fmt::format("--pair names more than {} pairs", kMostPairs));
      }
  if (pairs.empty())
    raise(ErrorKind::Usage, "--pair names one operator twice: both are part of it");
  return pairs;
}

int show_trade_offs(const ExplainArguments& options, const PlannedModel& planned,
                    const Progress& progress) {
  const Runnable& prepared = planned.prepared;
  const Profile& profile = prepared.profile();
  const ChoiceSubject subject{prepared.lowered(), profile, prepared.constraints, *planned.device};
  const auto judge = planned.device->judge(prepared.lowered(), profile.costs, profile.spec);
  std::vector<TradeOff> rows;
  for (Judged& tried : trade_offs(
           prepared.lowered(), profile.costs, profile.spec,
           thrift_options(subject, plan_options(options.settings.stages), *judge, progress))) {
    Prediction prediction = judge->predict(tried.plan);
    // What searches make small is not quite what is told.
    if (rows.empty() || prediction.timeline.end_us < rows.back().prediction.timeline.end_us)
      rows.push_back({std::move(tried.plan), tried.thrift, std::move(prediction)});
  }
  if (options.json.wanted())
    options.json.write(
        pareto_json(options.model.model, prepared, rows, planned.device->is_simulated()));
  if (!options.json.replaces_text()) fmt::print("{}", pareto_text(rows));
  return 0;
}

/// Whether --threads keeps the device from cores that it might have.
bool has_more_cores(const DeviceSettings& settings, const Device& device) {
  if (device.is_simulated() || settings.device_options.threads == 0) return false;
  DeviceOptions all = settings.device_options;
  all.threads = 0;
  return braid::open_device(settings.device, all)->spec().streams > device.spec().streams;
}

void check_pairs(const std::vector<std::string>& pairs) {
  if (pairs.size() % 2 != 0)
    raise(ErrorKind::Usage, fmt::format("--pair takes two operators at a time, and got {}: {} has "
                                        "no counterpart",
                                        pairs.size(), quote(pairs.back())));
}

int explain_model(const ExplainArguments& options) {
  check_pairs(options.pairs);
  const Progress progress = progress_line(options.quiet);
  const PlannedModel planned = plan_model(options, Until::Planned, progress);
  if (options.pareto) return show_trade_offs(options, planned, progress);
  const Runnable& prepared = planned.prepared;
  std::optional<sim::GpuSpec> gpu;
  sim::KernelOptions kernels;
  if (planned.device->is_simulated()) {
    const std::string what = planned.device->spec().name.substr(kSimulated.size());
    gpu = sim::gpu_of(what);
    kernels = sim::kernel_options_of(what);
  }
  const Prediction prediction = predict(prepared, *planned.device);
  const Subject subject{prepared.lowered(),
                        prepared.plan,
                        prediction.timeline,
                        prepared.profile().costs,
                        prepared.profile().spec,
                        bounds(prepared, *planned.device),
                        prepared.constraints,
                        gpu ? &*gpu : nullptr,
                        !options.plan.mem_budget.empty() || !options.plan.load.empty(),
                        kernels,
                        options.plan.load.empty()
                            ? std::string_view(options.settings.stages.plan.scheduler)
                            : std::string_view(),
                        has_more_cores(options.settings, *planned.device)};
  ExplainOptions how;
  how.pairs = static_cast<std::size_t>(options.top);
  how.asked = asked_pairs(prepared, options);
  const Explanation found = explain(subject, how);
  std::optional<RewriteOutlook> outlook;
  if (how.asked.empty()) {
    braid::report(progress, "looking at rules", 0, 0);
    PipelineOptions known = pipeline_options(options.settings, options.model, progress);
    known.costs.measure = false;
    known.costs.remeasure = false;
    outlook =
        rewrite_outlook(prepared, *planned.device,
                        choose_way(prepared.graph(), *planned.device, known), found.predicted_us);
  }
  const ExplainReport report{.model = options.model.model,
                             .prepared = prepared,
                             .prediction = prediction,
                             .found = found,
                             .outlook = outlook ? &*outlook : nullptr,
                             .rows = how.pairs};
  if (options.json.wanted()) options.json.write(report.json());
  if (!options.json.replaces_text()) fmt::print("{}", report.text());
  return 0;
}

}  // namespace

Action configure_explain(OptionSet& add) {
  auto options = std::make_shared<ExplainArguments>();
  add_planning_options(add, *options);
  add_numbers_are_idle(add, *options);
  add.section(Section::Print);
  add.list(
      "--pair", options->pairs,
      "Why do these two operators not run side by side? Names as `plan --steps` shows them, or "
      "as the model has them; ? stands for a comma in one",
      ListOf::Names, "NODE NODE");
  add.integer("--top", options->top, "Rows of each table", 0, 1'000);
  add.flag("--pareto", options->pareto, "Memory against time: what less of one costs of the other");
  for (const char* other : {"--pair", "--top", "--load-plan"})
    add.excludes("--pareto", other, "it tells of many Plans, and of no operators");
  add.json(options->json, "Print JSON");
  add.flag("-q,--quiet", options->quiet, "No progress");
  return [options] { return explain_model(*options); };
}

}  // namespace braid::cli
