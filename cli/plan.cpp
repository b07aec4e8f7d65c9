#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/bounds_json.h"
#include "cli/command.h"
#include "cli/kept_report.h"
#include "cli/planned_model.h"
#include "cli/prediction_report.h"
#include "cli/progress_line.h"
#include "cli/table.h"
#include "report/node_label.h"
#include "report/plan_summary.h"

namespace braid::cli {
namespace {

struct PlanArguments : PlanningArguments {
  bool rejudge = false;
  bool steps = false;
  JsonOutput json;
};

/// What is printed, of one Plan.
struct Outline {
  PlanSummary summary;
  Bounds bounds;
  Prediction prediction;
};

/// What the search did; null if nothing was searched.
nlohmann::ordered_json search_json(const Runnable& prepared) {
  if (!prepared.search) return nullptr;
  return {{"steps", prepared.search->steps}, {"stopped_by", name(prepared.search->stopped)}};
}

/// A list per stream.
nlohmann::ordered_json steps_json(const Graph& lowered, const Plan& plan, const CostModel& costs) {
  auto streams = nlohmann::ordered_json::array();
  for (const std::vector<Step>& stream : plan.streams) {
    auto steps = nlohmann::ordered_json::array();
    for (const Step& step : stream) {
      const Node& node = lowered.node(step.node);
      auto waits = nlohmann::ordered_json::array();
      for (const StepRef& wait : step.waits)
        waits.push_back({{"stream", wait.stream.at()}, {"step", wait.index}});
      steps.push_back({{"operator", node.op},
                       {"node", label(lowered, step.node)},
                       {"implementation", node.lowering.implementation},
                       {"part", step.part},
                       {"parts", step.parts},
                       {"time_us", costs.cost(lowered, step.node, step.parts).time_us},
                       {"waits", std::move(waits)}});
    }
    streams.push_back(std::move(steps));
  }
  return streams;
}

void write_json(const Runnable& prepared, const Outline& outline, const PlanArguments& options) {
  const auto stream_json = [](const StreamSummary& row) {
    return nlohmann::ordered_json{
        {"steps", row.steps}, {"parts", row.parts}, {"waits", row.waits}, {"busy_us", row.busy_us}};
  };
  nlohmann::ordered_json out = {{"model", options.model.model},
                                {"device", prepared.plan.device},
                                {"scheduler", prepared.plan.scheduler},
                                {"graph", to_string(prepared.plan.graph)},
                                {"nodes", prepared.lowered().node_count()},
                                {"cut_nodes", outline.summary.cut_nodes},
                                {"arena_bytes", prepared.plan.arena_bytes}};
  add_kept(out, prepared.reason, prepared.settlement);
  out["search"] = search_json(prepared);
  out["edits"] = prepared.constraints.size();
  out["bounds_us"] = bounds_json(outline.bounds);
  out["total"] = stream_json(outline.summary.total);
  add_prediction(out, prepared, outline.prediction);
  out["streams"] = nlohmann::ordered_json::array();
  for (const StreamSummary& row : outline.summary.streams)
    out["streams"].push_back(stream_json(row));
  if (options.steps)
    out["steps"] = steps_json(prepared.lowered(), prepared.plan, prepared.profile().costs);
  options.json.write(json_text(out));
}

void print_text(const Runnable& prepared, const Outline& outline) {
  const PlanSummary& summary = outline.summary;
  fmt::print("device     {}\n", printable(prepared.plan.device));
  fmt::print("scheduler  {}\n", printable(prepared.plan.scheduler));
  fmt::print("graph      {}\n", to_string(prepared.plan.graph));
  const auto number = [](auto size, std::string_view one) {
    return counted(static_cast<std::int64_t>(size), one);
  };
  fmt::print("steps      {} of {} on {}; {} {} cut, into {}\n", summary.total.steps,
             number(prepared.lowered().node_count(), "node"),
             number(summary.streams.size(), "stream"), number(summary.cut_nodes, "node"),
             summary.cut_nodes == 1 ? "is" : "are", number(summary.total.parts, "part"));
  fmt::print("waits      {}\n", summary.total.waits);
  fmt::print("arena      {:.1f} MB\n", static_cast<double>(prepared.plan.arena_bytes) / 1e6);
  fmt::print("predicted  {}\n", prediction_text(prepared, outline.prediction));
  if (!prepared.reason.empty()) fmt::print("kept       {}\n", prepared.reason);
  if (prepared.search)
    fmt::print("search     {} tried; ended by {}\n", counted(prepared.search->steps, "change"),
               prepared.search->stopped == Stopped::Steps
                   ? "their number, --plan-steps tries more"
                   : "the clock, --plan-seconds allows more");
  if (!prepared.constraints.empty())
    fmt::print("edits      {}, all obeyed\n", prepared.constraints.size());
  fmt::print("bounds     critical path {:.3f} ms, work {:.3f} ms, bandwidth {:.3f} ms\n\n",
             outline.bounds.critical_path_us / 1e3, outline.bounds.work_us / 1e3,
             outline.bounds.bandwidth_us / 1e3);
  Table table({"stream", "steps", "parts", "waits", "busy ms"});
  for (std::size_t i = 0; i < summary.streams.size(); ++i) {
    const StreamSummary& row = summary.streams[i];
    table.add({fmt::format("{}", i), fmt::format("{}", row.steps), fmt::format("{}", row.parts),
               fmt::format("{}", row.waits), fmt::format("{:.2f}", row.busy_us / 1e3)});
  }
  fmt::print("{}", table.text());
}

int show_plan(const PlanArguments& options) {
  const PlannedModel planned =
      plan_model(options, Until::Planned, progress_line(options.quiet),
                 [&](PipelineOptions& stages) { stages.plan.rejudge = options.rejudge; });
  const Runnable& prepared = planned.prepared;
  const CostModel& costs = prepared.profile().costs;
  const Outline outline{summarise(prepared.lowered(), prepared.plan, costs),
                        bounds(prepared, *planned.device), predict(prepared, *planned.device)};
  if (options.json.wanted()) write_json(prepared, outline, options);
  if (options.json.replaces_text()) return 0;
  if (!options.quiet) print_text(prepared, outline);
  if (options.steps) fmt::print("\n{}", list_steps(prepared.lowered(), prepared.plan, costs));
  return 0;
}

}  // namespace

Action configure_plan(OptionSet& add) {
  auto options = std::make_shared<PlanArguments>();
  add_planning_options(add, *options, "-o,--output,");
  add.flag(
      "--rejudge", options->rejudge,
      "Take a loaded Plan over that was made for another simulated GPU: the same steps, judged "
      "by this one");
  add.needs("--rejudge", {"--load-plan"}, "that is the Plan to take over");
  add_numbers_are_idle(add, *options);
  add.section(Section::Print);
  add.flag("--steps", options->steps, "List the steps of every stream");
  add.json(options->json, "Print JSON");
  add.flag("-q,--quiet", options->quiet, "No progress and no summary");
  return [options] { return show_plan(*options); };
}

}  // namespace braid::cli
