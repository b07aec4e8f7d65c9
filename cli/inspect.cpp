#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/moves_file.h"
#include "cli/progress_line.h"
#include "cli/survey_report.h"
#include "cli/table.h"
#include "devices/open.h"
#include "graph/text.h"
#include "onnx/inputs.h"
#include "onnx/save.h"
#include "pipeline/optimise.h"
#include "pipeline/replay.h"
#include "pipeline/stages.h"
#include "report/summary.h"

namespace braid::cli {
namespace {

struct InspectArguments {
  ModelArgument model;
  bool canonicalise = false;
  std::vector<std::string> disabled;
  std::string output;
  int opset = 0;
  bool text = false;
  bool lowered = false;
  bool optimised = false;
  std::string resume;
  std::string device;  // empty: cpu
  std::string isa;
  JsonOutput json;
  bool quiet = false;
};

/// Whether the graph of a device is asked for, not only that of the file.
bool needs_device(const InspectArguments& options) {
  return options.canonicalise || options.lowered || options.optimised;
}

nlohmann::json values_json(const std::vector<ValueSummary>& values) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ValueSummary& value : values)
    rows.push_back(
        {{"name", value.name}, {"type", name(value.type.element)}, {"shape", value.type.dims}});
  return rows;
}

/// What was done to the graph, and what its device does without.
struct Done {
  std::vector<StepReport> steps;
  std::vector<OmittedStep> omitted;
};

nlohmann::ordered_json to_json(const GraphSummary& summary, const Done& done) {
  nlohmann::ordered_json out;
  out["name"] = summary.name;
  out["opset"] = summary.opset;
  out["parameters"] = summary.parameters;
  out["macs"] = summary.macs;
  out["flops"] = summary.flops;
  out["weight_bytes"] = summary.weight_bytes;
  out["operators"] = summary.operators;
  out["nodes"] = summary.nodes;
  out["depth"] = summary.depth;
  out["width"] = summary.width;
  out["inputs"] = values_json(summary.inputs);
  out["outputs"] = values_json(summary.outputs);
  out["operator_counts"] = summary.operator_counts;
  if (!done.steps.empty()) {
    auto rows = nlohmann::ordered_json::array();
    for (const StepReport& step : done.steps)
      rows.push_back(
          {{"name", step.name}, {"changes", step.changes}, {"nodes_after", step.nodes_after}});
    out["canonicalise"] = rows;
  }
  if (!done.omitted.empty()) {
    auto rows = nlohmann::ordered_json::array();
    for (const OmittedStep& step : done.omitted)
      rows.push_back({{"name", step.name}, {"reason", step.reason}});
    out["omitted"] = rows;
  }
  return out;
}

void print_values(const char* label, const std::vector<ValueSummary>& values) {
  for (const ValueSummary& value : values)
    fmt::print("{:<12}{}  {}\n", label, printable(value.name), to_string(value.type));
}

void print_text(const GraphSummary& summary, const Done& done) {
  if (!summary.name.empty()) fmt::print("{:<12}{}\n", "model", printable(summary.name));
  if (summary.opset > 0) fmt::print("{:<12}{}\n", "opset", summary.opset);
  print_values("input", summary.inputs);
  print_values("output", summary.outputs);
  fmt::print("{:<12}{:.3f} M in {:.1f} MB of weights\n", "parameters",
             static_cast<double>(summary.parameters) / 1e6,
             static_cast<double>(summary.weight_bytes) / 1e6);
  fmt::print("{:<12}{:.3f} GMACs\n", "work", summary.macs / 1e9);
  fmt::print("{:<12}{} ({} in all)\n", "operators", grouped(summary.operators),
             counted(summary.nodes, "node"));
  fmt::print("{:<12}{} one after another at least\n", "depth", counted(summary.depth, "operator"));
  fmt::print("{:<12}{} side by side at most\n\n", "width", counted(summary.width, "operator"));
  fmt::print("{}", counts_table(summary.operator_counts));
  if (done.steps.empty()) return;
  Table table({"step", "changes", "nodes after"});
  for (const StepReport& step : done.steps)
    table.add(
        {step.name, grouped(step.changes), grouped(static_cast<long long>(step.nodes_after))});
  fmt::print("\n{}", table.text());
  if (done.omitted.empty()) return;
  Table omitted({"left out for this device", "because"});
  for (const OmittedStep& step : done.omitted)
    omitted.add({std::string(step.name), std::string(step.reason)});
  fmt::print("\n{}", omitted.text());
}

/// How long `inspect --optimised` searches if it is given no moves.
constexpr double kGlance_s = 10;

/// Rewrites the model by the moves of a file, or by those that a short search finds, and tells
/// which rule made which node.
std::map<NodeId, std::string> rewrite(const InspectArguments& options, const Device& device,
                                      const PipelineOptions& stages, Canonical& model) {
  std::vector<Round> rounds;
  if (options.resume.empty())
    rounds =
        optimised(std::make_shared<const Canonical>(model), device, stages, {.seconds = kGlance_s})
            .rounds;
  else
    rounds = load_moves(options.resume, model.graph);
  auto rules = rules_of_nodes(model.graph, rounds, device);
  model.graph = replayed(model.graph, rounds, device);
  return rules;
}

int inspect_graph(const InspectArguments& options, Graph graph) {
  const Progress progress = progress_line(options.quiet);
  Done done;
  PipelineOptions stages;
  stages.rewrite.disabled = options.disabled;
  stages.progress = progress;
  std::unique_ptr<Device> device;
  Canonical model;
  PrintOptions how{.types = true};
  if (needs_device(options)) {
    device =
        braid::open_device(options.device.empty() ? "cpu" : options.device, {.isa = options.isa});
    model = canonical(std::move(graph), *device, stages);
    if (options.optimised) how.comments = rewrite(options, *device, stages, model);
    graph = model.graph;
    done = {model.steps, device->omitted_steps()};
  }
  if (!options.output.empty()) {
    onnx::SaveOptions save;
    save.opset = options.opset;
    save.progress = progress;
    onnx::save(graph, options.output, save);
  }
  if (options.lowered) {
    Lowered result = lowered(model, *device, stages);
    graph = std::move(result.graph);
    how.comments.clear();
    done.steps.insert(done.steps.end(), result.steps.begin(), result.steps.end());
  }
  const bool wants_graph =
      options.text || ((options.lowered || options.optimised) && !options.json.replaces_text());
  const GraphSummary summary = summarise(graph);
  if (options.json.wanted()) {
    nlohmann::ordered_json out = to_json(summary, done);
    if (wants_graph) out["text"] = print(graph, how);
    options.json.write(json_text(out));
  }
  if (options.json.replaces_text()) return 0;
  if (wants_graph)
    fmt::print("{}", print(graph, how));
  else
    print_text(summary, done);
  return 0;
}

/// Whether what was asked for cannot be told while dimensions are open.
bool needs_bound_graph(const InspectArguments& options) {
  return needs_device(options) || options.text || !options.output.empty();
}

/// Tells what can be told of a model that cannot be loaded. Gives what Braid refuses of it.
std::vector<onnx::Refusal> inspect_without_graph(const InspectArguments& options) {
  onnx::Survey model = survey_model(options.model);
  print_survey(model, options.json);
  std::fflush(stdout);
  return std::move(model.refusals);
}

[[noreturn]] void refuse(const std::vector<onnx::Refusal>& refusals) {
  raise(ErrorKind::Unsupported,
        fmt::format("Braid does not run this model because of {}", refusals_in_short(refusals)));
}

int inspect(const InspectArguments& options) {
  std::optional<Graph> graph;
  try {
    graph = load_model(options.model, progress_line(options.quiet));
  } catch (const onnx::OpenDimension&) {
    if (needs_bound_graph(options)) throw;
    if (const auto refusals = inspect_without_graph(options); !refusals.empty()) refuse(refusals);
    return 0;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Unsupported || is_from_zoo(options.model)) throw;
    if (const auto refusals = inspect_without_graph(options); refusals.size() > 1) refuse(refusals);
    throw;
  }
  return inspect_graph(options, std::move(*graph));
}

}  // namespace

Action configure_inspect(OptionSet& add) {
  auto options = std::make_shared<InspectArguments>();
  add_model_argument(add, options->model);
  add_batch_option(add, options->model);
  add.section(Section::How);
  add.flag("--canonicalise,--canonicalize", options->canonicalise,
           "Inspect the graph after canonicalisation, with a table of its steps");
  add.list("--disable", options->disabled,
           "Leave out steps of canonicalisation, or rules of the device", ListOf::Names, "STEP");
  add.output("-o,--output", options->output, "Write the inspected graph as an ONNX file");
  add.integer("--opset", options->opset, "ONNX opset of the written file; 0: the model's own", 0,
              1000);
  add.flag("--text", options->text, "Print the graph itself, a line per operator");
  add.flag("--lowered", options->lowered,
           "Print the canonicalised graph as the device runs it: implementations, layouts, "
           "reorders");
  add.flag("--optimised,--optimized", options->optimised,
           "Print the canonicalised graph as a short search of `optimize` rewrites it for the "
           "device, with the rule that made each new node");
  add.text("--resume", options->resume,
           "Do not search, make the moves that `optimize --save-moves` wrote", "FILE");
  add.text("-d,--device", options->device, "The device whose graph it is; default: cpu", "DEVICE");
  add.text("--isa", options->isa, "Use no instructions beyond baseline, avx2 or avx512", "NAME");
  const std::vector<std::string> shown = {"--canonicalise", "--optimised", "--lowered"};
  add.needs("--device", shown, "the model itself is the same for all devices");
  add.needs("--disable", shown, "the model itself is shown as it is");
  add.needs("--isa", {"--lowered", "--optimised"}, "until then the graph is the same for all");
  add.needs("--resume", {"--optimised"}, "it says which moves that shows");
  add.needs("--opset", {"--output"}, "it is that of the file that is written");
  add.section(Section::Print);
  add.json(options->json, "Print JSON");
  add.flag("-q,--quiet", options->quiet, "No progress");
  return [options] { return inspect(*options); };
}

}  // namespace braid::cli
