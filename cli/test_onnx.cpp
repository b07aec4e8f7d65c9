#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/near_files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/model_argument.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "onnx/inputs.h"
#include "onnx/interface.h"
#include "onnx/tensor_file.h"
#include "pipeline/bind.h"
#include "tensor/difference.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

struct TestOnnxArguments {
  std::vector<std::string> folders;
  RunSettings settings;
  std::vector<std::string> quotas;
  std::vector<std::string> schedulers;
  // ONNX's own tolerances for its node tests.
  double absolute = 1e-7;
  double relative = 1e-3;
  JsonOutput json;
  bool quiet = false;
};

enum class Outcome { Passed, Failed, Unsupported };

struct Case {
  std::string name;
  Outcome outcome = Outcome::Passed;
  std::string reason;
};

std::string_view text_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed:
      return "passed";
    case Outcome::Failed:
      return "failed";
    case Outcome::Unsupported:
      return "unsupported";
  }
  return "";
}

/// The folder itself if it is a case, or all cases below it, by name.
std::vector<fs::path> find_cases(const fs::path& folder) {
  if (!fs::is_directory(folder))
    raise(ErrorKind::Usage, fmt::format("{} is not a folder{}", quote(folder.string()),
                                        fs::exists(folder) ? "" : did_you_mean_file(folder)));
  std::vector<fs::path> cases;
  if (fs::exists(folder / "model.onnx")) cases.push_back(folder);
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_directory() && fs::exists(entry.path() / "model.onnx"))
      cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  return cases;
}

std::vector<fs::path> find_data_sets(const fs::path& folder) {
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_"))
      sets.push_back(entry.path());
  std::sort(sets.begin(), sets.end());
  return sets;
}

Tensor data(const fs::path& set, std::string_view stem, std::size_t index, const Quotas& quotas) {
  const fs::path file = set / fmt::format("{}_{}.pb", stem, index);
  return fs::exists(file) ? onnx::read_tensor_file(file, quotas).tensor : Tensor{};
}

/// Two units in the last place of the small floats: rounding after each operator of a function may
/// differ from rounding once.
double two_units(ElementType type) {
  if (type == ElementType::F16) return 0x1p-9;
  return type == ElementType::BF16 ? 0x1p-6 : 0;
}

void compare_output(const std::string& name, const Tensor& got, const Tensor& expected,
                    const TestOnnxArguments& options) {
  if (got.type() != expected.type())
    raise(ErrorKind::Mismatch, fmt::format("output {} has type {}, expected {}", quote(name),
                                           to_string(got.type()), to_string(expected.type())));
  const Difference apart = difference(got, expected);
  // Elements that are small because large ones cancelled carry the rounding of the large ones.
  const double rounding = got.element() == ElementType::F32 ? 0x1p-24 * apart.largest : 0;
  if (!all_close(got, expected, std::max(options.absolute, rounding),
                 std::max(options.relative, two_units(got.element()))))
    raise(ErrorKind::Mismatch, fmt::format("output {} differs by {:.3g} (largest element {:.3g})",
                                           quote(name), apart.max_abs, apart.largest));
}

/// Compares the results under other schedulers, too, if some are named: no Plan changes a bit.
void compare_schedulers(const Runnable& model, const std::vector<Tensor>& inputs,
                        const std::vector<Tensor>& results, const Device& device,
                        PipelineOptions how, const std::vector<std::string>& schedulers) {
  if (schedulers.empty()) return;
  for (const std::string& name : chosen_schedulers(schedulers)) {
    how.plan.scheduler = name;
    const std::vector<Tensor> others =
        run(runnable(planned(model.costed, device, how), device, how), inputs);
    for (std::size_t i = 0; i < results.size(); ++i)
      if (!same_numbers(others[i], results[i]))
        raise(ErrorKind::Mismatch,
              fmt::format("output {} has other bits under {}",
                          quote(model.graph().outputs()[i].name), quote(name)));
  }
}

void run_data_set(const fs::path& model, const fs::path& set, const Device& device,
                  const TestOnnxArguments& options) {
  onnx::LoadOptions load_options;
  load_options.quotas = parse_quotas(options.quotas);
  const Quotas& quotas = load_options.quotas;
  const onnx::Interface signature = onnx::read_interface(model, load_options);
  NamedInputs given;
  for (std::size_t i = 0; i < signature.inputs.size(); ++i)
    if (const Tensor tensor = data(set, "input", i, quotas); tensor.defined())
      given[signature.inputs[i].name] = tensor;
  BoundModel bound = load_bound(model, load_options, given);
  std::vector<Tensor> inputs;
  for (ValueId id : bound.graph.inputs()) {
    const auto found = given.find(bound.graph.value(id).name);
    inputs.push_back(found == given.end() ? Tensor{} : found->second);
  }
  PipelineOptions stages = options.settings.stages;
  stages.rewrite.canonicalise = !options.settings.no_canonicalise;
  stages.quotas = quotas;
  const Runnable prepared = prepare(bound.graph, device, stages);
  const std::vector<Tensor> results = run(prepared, inputs);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (const Tensor expected = data(set, "output", i, quotas); expected.defined())
      compare_output(prepared.graph().outputs()[i].name, results[i], expected, options);
  compare_schedulers(prepared, inputs, results, device, stages, options.schedulers);
}

Case run_case(const fs::path& folder, const Device& device, const TestOnnxArguments& options) {
  Case result{folder.filename().string(), Outcome::Passed, {}};
  try {
    const auto sets = find_data_sets(folder);
    if (sets.empty()) raise(ErrorKind::Model, "there is no test_data_set_* folder");
    for (const fs::path& set : sets) run_data_set(folder / "model.onnx", set, device, options);
  } catch (const Error& error) {
    const bool is_open = dynamic_cast<const onnx::OpenDimension*>(&error) != nullptr;
    if (error.kind() == ErrorKind::Cancelled || (error.kind() == ErrorKind::Usage && !is_open))
      throw;
    result.outcome =
        error.kind() == ErrorKind::Unsupported ? Outcome::Unsupported : Outcome::Failed;
    result.reason = error.message();
  }
  return result;
}

void write_json(const JsonOutput& json, const std::vector<Case>& cases,
                const std::array<int, 3>& counts) {
  nlohmann::ordered_json out;
  out["summary"] = {{"passed", counts[0]}, {"failed", counts[1]}, {"unsupported", counts[2]}};
  auto rows = nlohmann::ordered_json::array();
  for (const Case& row : cases)
    rows.push_back({{"name", row.name}, {"outcome", text_of(row.outcome)}, {"reason", row.reason}});
  out["cases"] = rows;
  json.write(json_text(out));
}

void print_text(const std::vector<Case>& cases, const std::array<int, 3>& counts) {
  Table table({"case", "outcome", "reason"});
  for (const Case& row : cases)
    if (row.outcome != Outcome::Passed)
      table.add({printable(row.name), std::string(text_of(row.outcome)), printable(row.reason)});
  if (counts[1] + counts[2] > 0) fmt::print("{}\n", table.text());
  fmt::print("{} passed, {} failed, {} unsupported\n", counts[0], counts[1], counts[2]);
}

int test_onnx(const TestOnnxArguments& options) {
  const Progress progress = progress_line(options.quiet);
  const auto device = open_device(options.settings);
  if (const std::string& costs = options.settings.stages.costs.costs; !costs.empty())
    MappedFile::open(costs);
  std::vector<fs::path> folders;
  for (const std::string& folder : options.folders)
    for (fs::path& found : find_cases(folder)) folders.push_back(std::move(found));
  if (folders.empty()) raise(ErrorKind::Usage, "no folder with a model.onnx was found");
  std::vector<Case> cases;
  std::array<int, 3> counts{};
  for (const fs::path& folder : folders) {
    report(progress, "testing", static_cast<std::int64_t>(cases.size()),
           static_cast<std::int64_t>(folders.size()));
    cases.push_back(run_case(folder, *device, options));
    ++counts[static_cast<std::size_t>(cases.back().outcome)];
  }
  if (options.json.wanted()) write_json(options.json, cases, counts);
  if (!options.json.replaces_text()) print_text(cases, counts);
  return counts[1] == 0 ? 0 : exit_code(ErrorKind::Mismatch);
}

}  // namespace

Action configure_test_onnx(OptionSet& add) {
  auto options = std::make_shared<TestOnnxArguments>();
  add.required_texts("DIR", options->folders, "Folders that are cases or hold them");
  add_run_options(add, options->settings);
  add_quota_option(add, options->quotas);
  add_scheduler_option(add, options->settings);
  add.section(Section::How);
  add.list("--schedulers", options->schedulers,
           "Compare outputs bit by bit with those under these schedulers, too, or all",
           ListOf::Names, "NAME");
  add.real("--atol", options->absolute,
           "Absolute tolerance; at least half a unit in the last place of the largest element");
  add.real("--rtol", options->relative,
           "Tolerance relative to each expected element; at least two units in the last place");
  idle_unless_searched(add, [&all = *options] {
    std::vector<std::string> names = all.schedulers;
    names.push_back(all.settings.stages.plan.scheduler);
    return names;
  });
  add.section(Section::Print);
  add.json(options->json, "Print JSON", ends_in_json);
  add.flag("-q,--quiet", options->quiet, "No progress");
  return [options] { return test_onnx(*options); };
}

}  // namespace braid::cli
