#include <cstdio>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "choose/memory_check.h"
#include "cli/command.h"
#include "cli/contest_report.h"
#include "cli/model_argument.h"
#include "cli/output_comparison.h"
#include "cli/output_path.h"
#include "cli/profile_options.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "ops/cast.h"

namespace braid::cli {
namespace {

struct CompareArguments {
  std::string first;
  std::string second;
  ModelArgument model;  // the shape options, for both
  RunSettings settings;
  std::vector<std::string> plans;  // the first's, then the second's
  bool time = false;
  GivenTolerance tolerance;
  JsonOutput json;
  bool quiet = false;
};

struct Row {
  std::string name;
  OutputComparison found;
};

using Notes = std::vector<std::string>;

bool is_recording(const std::string& file) {
  return holds_tensors(file) || std::filesystem::is_directory(file);
}

void check_arguments(const CompareArguments& options, const Device& device) {
  const bool recorded = is_recording(options.second);
  if (options.plans.size() > (recorded ? 1U : 2U))
    raise(
        ErrorKind::Usage,
        fmt::format("--load-plan was given {} files; it takes MODEL's Plan{}", options.plans.size(),
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
  std::map<std::string, Tensor> inputs_by_name;
  std::vector<Tensor> inputs;
  bool is_random = false;  ///< at least one input is
  std::vector<NamedTensor> outputs;
};

/// Gives inputs that have another element type in the other model the other's numbers.
void take_inputs_of(const FinishedRun& other, const Graph& graph, std::vector<Tensor>& inputs,
                    Notes& notes) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    const auto found = other.inputs_by_name.find(value.name);
    if (found == other.inputs_by_name.end() || found->second.dims() != value.type.dims ||
        found->second.element() == value.type.element)
      continue;
    inputs[i] = cast(found->second.aligned(), value.type.element);
    notes.push_back(fmt::format("input {} is {} of MODEL and {} of OTHER, which gets it converted",
                                quote(value.name), name(found->second.element()),
                                name(value.type.element)));
  }
}

/// A model that has taken no memory yet.
struct PlannedRun {
  std::string model;
  ModelWithInputs loaded = {};
  PipelineOptions stages = {};
  Planned planned = {};
};

PlannedRun plan_one(const ModelArgument& argument, const std::string& plan, const Device& device,
                    const CompareArguments& options, Notes& notes) {
  const auto where = [&] { return "while planning " + quote(argument.model); };
  return with_note(where, [&] {
    const Progress progress = progress_line(options.quiet);
    PlannedRun made{.model = argument.model};
    made.loaded = load_model(argument, options.settings.load_inputs, options.settings.random,
                             progress, [&](const std::string& note) { notes.push_back(note); });
    made.stages = pipeline_options(options.settings, argument, progress);
    PlanFiles files;
    files.load = plan;
    follow(files, made.stages);
    made.planned = to_plan(std::move(made.loaded.graph), device, made.stages);
    return made;
  });
}

PlannedRun plan_first(const Device& device, const CompareArguments& options, Notes& notes) {
  return plan_one(argument_of(options.first, options.second, options),
                  options.plans.empty() ? "" : options.plans[0], device, options, notes);
}

PlannedRun plan_second(const Device& device, const CompareArguments& options, Notes& notes) {
  return plan_one(argument_of(options.second, options.first, options),
                  options.plans.size() < 2 ? "" : options.plans[1], device, options, notes);
}

/// Random inputs depend on the seed and their names only, so two models get the same ones.
FinishedRun run_one(PlannedRun planned, const Device& device, const FinishedRun* other,
                    Notes& notes) {
  const auto where = [&] { return "while running " + quote(planned.model); };
  return with_note(where, [&] {
    FinishedRun finished;
    finished.is_random = !planned.loaded.random.empty();
    finished.prepared = runnable(std::move(planned.planned), device, planned.stages);
    const Graph& graph = finished.prepared.graph();
    finished.inputs = planned.loaded.make_inputs();
    if (other != nullptr) take_inputs_of(*other, graph, finished.inputs, notes);
    for (std::size_t i = 0; i < finished.inputs.size(); ++i)
      finished.inputs_by_name[graph.value(graph.inputs()[i]).name] = finished.inputs[i];
    const std::vector<Tensor> results = run(finished.prepared, finished.inputs);
    for (std::size_t i = 0; i < results.size(); ++i)
      finished.outputs.emplace_back(graph.outputs()[i].name, results[i]);
    return finished;
  });
}

/// What a model needs while it runs, and what it leaves.
std::int64_t running_bytes(const PlannedRun& run, const Device& device) {
  const Graph& lowered = run.planned.lowered();
  return device.packed_bytes(lowered) + device.arena_bytes(lowered, run.planned.plan, 1);
}
std::int64_t left_bytes(const PlannedRun& run) {
  return input_bytes(run.planned.graph()) + output_bytes(run.planned.lowered());
}

/// Unless they take turns, only one runs at a time.
void check_memory_of_runs(const PlannedRun& first, const PlannedRun& second, const Device& device,
                          const CompareArguments& options) {
  if (device.is_simulated()) return;
  const std::int64_t one = running_bytes(first, device);
  const std::int64_t two = running_bytes(second, device);
  const bool both = options.time;
  check_memory_together(
      {{first.model, left_bytes(first) + (both || one > two ? one : 0)},
       {second.model, left_bytes(second) + (both || two >= one ? two : 0)}},
      first.stages.quotas,
      both ? "leave out --time, or take a smaller --batch" : "take a smaller --batch");
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

/// The real type with the fewest digits in which a graph computes.
ElementType coarsest(const Graph& graph, ElementType so_far = ElementType::F32) {
  for (const ValueId id : graph.value_ids()) {
    const ElementType type = graph.value(id).type.element;
    if (!graph.is_constant(id) && usual_tolerance(type).relative > usual_tolerance(so_far).relative)
      so_far = type;
  }
  return so_far;
}

/// Tells of outputs in which more digits are written than were computed.
GivenTolerance tolerance_for(ElementType computed_in, const CompareArguments& options,
                             const std::vector<NamedTensor>& outputs, Notes& notes) {
  GivenTolerance tolerance = options.tolerance;
  tolerance.computed_in = computed_in;
  if (computed_in != ElementType::F32 && std::ranges::any_of(outputs, [](const auto& output) {
        return output.second.element() == ElementType::F32;
      }))
    notes.push_back(fmt::format("some operators compute in {}: all real outputs have its tolerance",
                                name(computed_in)));
  return tolerance;
}

/// What an output that is called equal does not say by that.
void note_weak(const Row& row, const CompareArguments& options, Notes& notes) {
  const auto& absolute = options.tolerance.absolute;
  const double largest = row.found.difference.largest;
  if (absolute && *absolute > 0 && *absolute >= largest)
    notes.push_back(
        fmt::format("--atol {:g} is not below the largest element of the output {}, {:.4g}: zeros "
                    "would be equal to it",
                    *absolute, quote(row.name), largest));
  if (!row.found.types.empty())
    notes.push_back(fmt::format("output {} is {}: converted", quote(row.name), row.found.types));
}

std::vector<Row> compare_outputs(const std::vector<NamedTensor>& first,
                                 const std::map<std::string, Tensor>& references,
                                 ElementType computed_in, const CompareArguments& options,
                                 Notes& notes) {
  const GivenTolerance tolerance = tolerance_for(computed_in, options, first, notes);
  std::vector<Row> rows;
  for (const auto& [name, tensor] : first) {
    const auto where = [&, &output = name] { return "output " + quote(output); };
    rows.push_back({name, with_note(where, [&, &output = name, &value = tensor] {
                      return compare_output(value, reference_for(output, references), tolerance);
                    })});
    note_weak(rows.back(), options, notes);
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
  bool is_random = false;  ///< an input of either was made by the seed
  Notes notes = {};
  std::optional<ContestResult> time = {};

  std::int64_t differing() const {
    return std::ranges::count_if(rows, [](const Row& row) { return !row.found.is_equal(); });
  }
};

Comparison compare_models(const CompareArguments& options) {
  const auto device = open_device(options.settings);
  check_arguments(options, *device);
  Notes notes;
  PlannedRun first_planned = plan_first(*device, options, notes);
  const ElementType computed_in = coarsest(first_planned.planned.graph());
  if (is_recording(options.second)) {
    const FinishedRun first = run_one(std::move(first_planned), *device, nullptr, notes);
    std::vector<std::string> names;
    for (const auto& [name, tensor] : first.outputs) names.push_back(name);
    const auto recorded = load_tensors({options.second}, names, "output", quotas_of(options.model));
    std::vector<Row> rows = compare_outputs(first.outputs, recorded, computed_in, options, notes);
    return {std::move(rows), first.is_random, std::move(notes)};
  }
  PlannedRun second_planned = plan_second(*device, options, notes);
  const ElementType of_both = coarsest(second_planned.planned.graph(), computed_in);
  check_memory_of_runs(first_planned, second_planned, *device, options);
  FinishedRun first = run_one(std::move(first_planned), *device, nullptr, notes);
  if (!options.time) first.prepared = {};
  const FinishedRun second = run_one(std::move(second_planned), *device, &first, notes);
  std::vector<Row> rows = compare_outputs(
      first.outputs, {second.outputs.begin(), second.outputs.end()}, of_both, options, notes);
  Comparison result{std::move(rows), first.is_random || second.is_random, std::move(notes)};
  if (options.time) result.time = time_by_turns(first, second, options.quiet);
  return result;
}

nlohmann::ordered_json or_null(const std::optional<double>& given) {
  return given ? nlohmann::ordered_json(*given) : nlohmann::ordered_json();
}

void write_json(const Comparison& found, const CompareArguments& options) {
  nlohmann::ordered_json out;
  out["equal"] = found.differing() == 0;
  out["atol"] = or_null(options.tolerance.absolute);
  out["rtol"] = or_null(options.tolerance.relative);
  if (found.is_random) out["seed"] = options.settings.random.number();
  auto list = nlohmann::ordered_json::array();
  for (const Row& row : found.rows) {
    list.push_back({{"name", row.name},
                    {"equal", row.found.is_equal()},
                    {"identical", row.found.is_identical()}});
    list.back().update(comparison_json(row.found));
  }
  out["outputs"] = list;
  out["notes"] = found.notes;
  if (found.time) out["time"] = contest_json(*found.time);
  options.json.write(json_text(out));
}

void print_text(const Comparison& found, const CompareArguments& options) {
  Table table({"output", "max abs", "max rel", "allowed", "largest", ""});
  for (const Row& row : found.rows)
    table.add({printable(row.name), fmt::format("{:.3g}", row.found.difference.max_abs),
               fmt::format("{:.3g}", row.found.difference.max_rel()),
               fmt::format("{:.3g}", row.found.allowed()),
               fmt::format("{:.4g}", row.found.difference.largest),
               row.found.is_identical() ? "identical"
               : row.found.is_equal()   ? "equal"
                                        : "DIFFERS"});
  const std::string seed =
      found.is_random ? fmt::format(" (seed {})", options.settings.random.number()) : "";
  fmt::print("{}\n", table.text());
  if (const std::int64_t differing = found.differing(); differing == 0)
    fmt::print("equal within what is allowed{}\n", seed);
  else
    fmt::print("NOT equal: {} of {} outputs{}\n", differing, found.rows.size(), seed);
  for (const Row& row : found.rows)
    if (!row.found.is_equal())
      fmt::print("{}: {}\n", printable(row.name), mismatch_text(row.found));
  if (found.time) fmt::print("{}", contest_text(*found.time));
}

int compare(const CompareArguments& options) {
  const Comparison found = compare_models(options);
  for (const std::string& note : found.notes) fmt::print(stderr, "braid: note: {}\n", note);
  if (options.json.wanted()) write_json(found, options);
  if (!options.json.replaces_text()) print_text(found, options);
  return found.differing() == 0 ? 0 : exit_code(ErrorKind::Mismatch);
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
  add.list("--load-plan,--loadEngine", options->plans,
           "Follow a saved Plan of MODEL, and, if there are two, one of OTHER", ListOf::Files,
           "FILE");
  idle_unless_searched(
      add, [&settings = options->settings] { return std::vector{settings.stages.plan.scheduler}; });
  idle_if_simulated(add, options->settings, {"--exact"});
  add.flag("--time", options->time,
           "Run both by turns, too, and tell which is faster: 200 times each, or for 12 seconds");
  add.real("--atol", options->tolerance.absolute,
           "Absolute tolerance, added to the other; default: as good as none");
  add.real("--rtol", options->tolerance.relative,
           "Tolerance of real numbers, relative to the largest element expected; default: 1e-4, "
           "of float16 2^-8, of bfloat16 2^-5");
  add.section(Section::Print);
  add.json(options->json, "Print JSON", ends_in_json);
  add.flag("-q,--quiet", options->quiet, "No progress");
  return [options] { return compare(*options); };
}

}  // namespace braid::cli
