#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/contest_report.h"
#include "cli/model_argument.h"
#include "cli/profile_options.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "tensor/difference.h"

namespace braid::cli {
namespace {

struct CompareArguments {
  std::string first;
  std::string second;
  ModelArgument model;  // the shape options, for both
  RunSettings settings;
  std::vector<std::string> plans;  // the first's, then the second's
  bool time = false;
  double absolute = 1e-5;
  double relative = 1e-4;
  JsonOutput json;
  bool quiet = false;
};

struct Row {
  std::string name;
  Difference difference;
  bool within = false;
};

bool is_recording(const std::string& file) {
  return file.ends_with(".npz") || file.ends_with(".npy") || file.ends_with(".pb") ||
         std::filesystem::is_directory(file);
}

void check_arguments(const CompareArguments& options, const Device& device) {
  const bool recorded = is_recording(options.second);
  if (options.plans.size() > (recorded ? 1U : 2U))
    raise(
        ErrorKind::Usage,
        fmt::format("--load-plan was given {} times; it takes MODEL's Plan{}", options.plans.size(),
                    recorded ? " only, since a recording has none" : ", then OTHER's"));
  if (!options.time) return;
  if (recorded)
    raise(ErrorKind::Usage,
          fmt::format("--time runs two models by turns, and {} is a recording; leave out --time",
                      quote(options.second)));
  if (device.is_simulated())
    raise(ErrorKind::Usage, fmt::format("--time needs a device that runs, and {} is simulated; "
                                        "`bench` and `optimize` tell simulated times",
                                        quote(options.settings.device)));
}

/// The names of dimensions that the file of a model leaves open.
std::set<std::string> open_dimensions(const std::string& file, const CompareArguments& options) {
  std::set<std::string> names;
  ModelArgument argument;
  argument.model = file;
  argument.quotas = options.model.quotas;
  if (is_recording(file) || is_from_zoo(argument)) return names;
  for (const ValueInfo& input : read_interface(argument).inputs)
    names.insert(input.symbols.begin(), input.symbols.end());
  return names;
}

/// How a model is loaded. A dimension that only the other model leaves open is not bound.
ModelArgument argument_of(const std::string& file, const std::string& other,
                          const CompareArguments& options) {
  ModelArgument argument = options.model;
  argument.model = file;
  if (argument.dims.empty()) return argument;
  const std::set<std::string> own = open_dimensions(file, options);
  const std::set<std::string> others = open_dimensions(other, options);
  argument.dims.clear();
  for (const auto& [name, size] : parse_dims(options.model.dims))
    if (own.contains(name) || !others.contains(name))
      argument.dims.push_back(fmt::format("{}={}", name, size));
  return argument;
}

/// A model that ran once and can run again.
struct FinishedRun {
  Runnable prepared;
  std::vector<Tensor> inputs;
  std::vector<NamedTensor> outputs;
};

/// Random inputs depend on the seed and their names only, so two models get the same ones.
FinishedRun run_one(const ModelArgument& argument, const std::string& plan, const Device& device,
                    const CompareArguments& options) {
  const auto where = [&] { return "while running " + quote(argument.model); };
  return with_note(where, [&] {
    const Progress progress = progress_line(options.quiet);
    ModelWithInputs model =
        load_model(argument, options.settings.load_inputs, options.settings.random, progress);
    PipelineOptions stages = pipeline_options(options.settings, argument, progress);
    PlanFiles files;
    files.load = plan;
    follow(files, stages);
    FinishedRun finished;
    finished.prepared = prepare(std::move(model.graph), device, stages);
    finished.inputs = model.make_inputs();
    const std::vector<Tensor> results = run(finished.prepared, finished.inputs);
    for (std::size_t i = 0; i < results.size(); ++i)
      finished.outputs.emplace_back(finished.prepared.graph().outputs()[i].name, results[i]);
    return finished;
  });
}

FinishedRun run_first(const Device& device, const CompareArguments& options) {
  return run_one(argument_of(options.first, options.second, options),
                 options.plans.empty() ? "" : options.plans[0], device, options);
}

FinishedRun run_second(const Device& device, const CompareArguments& options) {
  return run_one(argument_of(options.second, options.first, options),
                 options.plans.size() < 2 ? "" : options.plans[1], device, options);
}

const Tensor& reference_for(const std::string& name,
                            const std::map<std::string, Tensor>& references) {
  const auto found = references.find(name);
  if (found == references.end()) {
    std::vector<std::string> names;
    for (const auto& [known, tensor] : references) names.push_back(known);
    raise(ErrorKind::Mismatch,
          fmt::format("output {} of the first has no counterpart; the second has: {}", quote(name),
                      printable(fmt::format("{}", fmt::join(names, ", ")), 2000)));
  }
  return found->second;
}

std::vector<Row> compare_outputs(const std::vector<NamedTensor>& first,
                                 const std::map<std::string, Tensor>& references,
                                 const CompareArguments& options) {
  std::vector<Row> rows;
  for (const auto& [name, tensor] : first) {
    const auto where = [&, &output = name] { return "output " + quote(output); };
    Row row{name, with_note(where, [&, &output = name, &value = tensor] {
              return difference(value, reference_for(output, references));
            })};
    row.within = row.difference.within(options.absolute, options.relative);
    rows.push_back(std::move(row));
  }
  return rows;
}

ContestResult time_by_turns(const FinishedRun& first, const FinishedRun& second, bool quiet) {
  const Progress progress = progress_line(quiet);
  const ContestTimes times = take_turns({*first.prepared.program, first.inputs},
                                        {*second.prepared.program, second.inputs}, progress);
  report(progress, "measuring", 1, 1);
  return result_of(times);
}

struct Comparison {
  std::vector<Row> rows;
  std::optional<ContestResult> time = {};
};

Comparison compare_models(const CompareArguments& options) {
  const auto device = open_device(options.settings);
  check_arguments(options, *device);
  FinishedRun first = run_first(*device, options);
  if (is_recording(options.second)) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : first.outputs) names.push_back(name);
    return {compare_outputs(
        first.outputs, load_tensors({options.second}, names, "output", quotas_of(options.model)),
        options)};
  }
  // Unless they take turns, only one needs memory at a time.
  if (!options.time) first = {.prepared = {}, .inputs = {}, .outputs = std::move(first.outputs)};
  const FinishedRun second = run_second(*device, options);
  Comparison result{
      compare_outputs(first.outputs, {second.outputs.begin(), second.outputs.end()}, options)};
  if (options.time) result.time = time_by_turns(first, second, options.quiet);
  return result;
}

void write_json(const Comparison& found, bool equal, const CompareArguments& options) {
  nlohmann::ordered_json out;
  out["equal"] = equal;
  out["atol"] = options.absolute;
  out["rtol"] = options.relative;
  out["seed"] = options.settings.random.number();
  auto list = nlohmann::ordered_json::array();
  for (const Row& row : found.rows)
    list.push_back({{"name", row.name},
                    {"equal", row.within},
                    {"identical", row.difference.identical},
                    {"max_abs", json_number(row.difference.max_abs)},
                    {"max_rel", json_number(row.difference.max_rel())}});
  out["outputs"] = list;
  if (found.time) out["time"] = contest_json(*found.time);
  options.json.write(json_text(out));
}

void print_text(const Comparison& found, bool equal, const CompareArguments& options) {
  Table table({"output", "max abs", "max rel", "largest", ""});
  for (const Row& row : found.rows)
    table.add({printable(row.name), fmt::format("{:.3g}", row.difference.max_abs),
               fmt::format("{:.3g}", row.difference.max_rel()),
               fmt::format("{:.4g}", row.difference.largest),
               row.difference.identical ? "identical"
               : row.within             ? "equal"
                                        : "DIFFERS"});
  fmt::print("{}\n{} within {:g} + {:g} of each output's largest element (seed {})\n", table.text(),
             equal ? "equal" : "NOT equal", options.absolute, options.relative,
             options.settings.random.number());
  if (found.time) fmt::print("{}", contest_text(*found.time));
}

int compare(const CompareArguments& options) {
  const Comparison found = compare_models(options);
  const bool equal = std::ranges::all_of(found.rows, [](const Row& row) { return row.within; });
  if (options.json.wanted()) write_json(found, equal, options);
  if (!options.json.replaces_text()) print_text(found, equal, options);
  return equal ? 0 : exit_code(ErrorKind::Mismatch);
}

}  // namespace

Action configure_compare(OptionSet& add) {
  auto options = std::make_shared<CompareArguments>();
  add.required_text("MODEL", options->first, "An ONNX file, or zoo:NAME");
  add.required_text("OTHER", options->second,
                    "Another model, or its recorded outputs: .npz, .npy, .pb or a folder");
  add_shape_options(add, options->model);
  add_batch_option(add, options->model);
  add_run_options(add, options->settings);
  add_input_options(add, options->settings);
  add_scheduler_option(add, options->settings);
  add_remeasure_flag(add, options->settings.stages.costs);
  add.texts("--load-plan,--loadEngine", options->plans,
            "Follow a saved Plan of MODEL; given again, one of OTHER", "FILE");
  add.flag("--time", options->time,
           "Run both by turns, too, and tell which is faster: 200 times each, or for 12 seconds");
  add.real("--atol", options->absolute, "Absolute tolerance");
  add.real("--rtol", options->relative,
           "Tolerance relative to the largest element of the reference");
  add.json(options->json, "Print JSON", ends_in_json);
  add.flag("-q,--quiet", options->quiet, "No progress");
  return [options] { return compare(*options); };
}

}  // namespace braid::cli
