#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/model_argument.h"
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

/// Random inputs depend on the seed and their names only, so two models get the same ones.
std::vector<NamedTensor> run_one(const std::string& file, const CompareArguments& options) {
  const auto where = [&] { return "while running " + quote(file); };
  return with_note(where, [&] {
    const Progress progress = progress_line(options.quiet);
    ModelArgument argument = options.model;
    argument.model = file;
    const auto device = open_device(options.settings);
    ModelWithInputs model =
        load_model(argument, options.settings.load_inputs, options.settings.random, progress);
    const Runnable prepared = prepare(std::move(model.graph), *device,
                                      pipeline_options(options.settings, options.model, progress));
    const std::vector<Tensor> results = run(prepared, model.make_inputs());
    std::vector<NamedTensor> named;
    for (std::size_t i = 0; i < results.size(); ++i)
      named.emplace_back(prepared.graph().outputs()[i].name, results[i]);
    return named;
  });
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

std::vector<Row> compare_outputs(const CompareArguments& options) {
  const std::vector<NamedTensor> first = run_one(options.first, options);
  std::map<std::string, Tensor> references;
  if (is_recording(options.second)) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : first) names.push_back(name);
    references = load_tensors({options.second}, names, "output", quotas_of(options.model));
  } else {
    for (auto& [name, tensor] : run_one(options.second, options)) references.emplace(name, tensor);
  }
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

void write_json(const std::vector<Row>& rows, bool equal, const CompareArguments& options) {
  nlohmann::ordered_json out;
  out["equal"] = equal;
  out["atol"] = options.absolute;
  out["rtol"] = options.relative;
  out["seed"] = options.settings.random.number();
  auto list = nlohmann::ordered_json::array();
  for (const Row& row : rows)
    list.push_back({{"name", row.name},
                    {"equal", row.within},
                    {"identical", row.difference.identical},
                    {"max_abs", json_number(row.difference.max_abs)},
                    {"max_rel", json_number(row.difference.max_rel())}});
  out["outputs"] = list;
  options.json.write(json_text(out));
}

void print_text(const std::vector<Row>& rows, bool equal, const CompareArguments& options) {
  Table table({"output", "max abs", "max rel", "largest", ""});
  for (const Row& row : rows)
    table.add({printable(row.name), fmt::format("{:.3g}", row.difference.max_abs),
               fmt::format("{:.3g}", row.difference.max_rel()),
               fmt::format("{:.4g}", row.difference.largest),
               row.difference.identical ? "identical"
               : row.within             ? "equal"
                                        : "DIFFERS"});
  fmt::print("{}\n{} within {:g} + {:g} of each output's largest element (seed {})\n", table.text(),
             equal ? "equal" : "NOT equal", options.absolute, options.relative,
             options.settings.random.number());
}

int compare(const CompareArguments& options) {
  const std::vector<Row> rows = compare_outputs(options);
  const bool equal =
      std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.within; });
  if (options.json.wanted()) write_json(rows, equal, options);
  if (!options.json.replaces_text()) print_text(rows, equal, options);
  return equal ? 0 : exit_code(ErrorKind::Mismatch);
}

}  // namespace

Action configure_compare(OptionSet& add) {
  auto options = std::make_shared<CompareArguments>();
  add.required_text("MODEL", options->first, "An ONNX file, or zoo:NAME");
  add.required_text("OTHER", options->second,
                    "Another model, or its recorded outputs: .npz, .npy, .pb or a folder");
  add_shape_options(add, options->model);
  add_run_options(add, options->settings);
  add_input_options(add, options->settings);
  add_scheduler_option(add, options->settings);
  add.real("--atol", options->absolute, "Absolute tolerance");
  add.real("--rtol", options->relative,
           "Tolerance relative to the largest element of the reference");
  add.json(options->json, "Print JSON", ends_in_json);
  add.flag("-q,--quiet", options->quiet, "No progress");
  return [options] { return compare(*options); };
}

}  // namespace braid::cli
