// AutoGraph's table and ablation again, on simulated GPUs:
//
//     ./run bench-tool autograph [--device sim:GPU]… [--models NAME,…] [--batch N]
//         [--seconds S] [--seed N] [--fast-groups] [--json FILE] [--markdown FILE]
//     bench_autograph --ablation [--models NAME,…] …   the optimisation without one of its parts
//     bench_autograph --sweep [--models A.onnx,…] …    other GPUs and batches; the zoo, or files
//     bench_autograph --tables FILE,…                  the tables of earlier runs' JSON together
//     bench_autograph --cell FOLDER                    the case study of one NASNet cell
//
// Every model is optimised for every device twice, by the mixed cost with verification and by the
// sum of its operators; all columns meet the same draws. Prints Markdown. The JSON file is written
// again after every model.
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "ablation.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "case_study.h"
#include "contest.h"
#include "fast_groups.h"
#include "report.h"
#include "shared/document.h"
#include "sweep.h"
#include "zoo/zoo.h"

namespace {

using namespace braid;
using namespace braid::autograph_table;

struct Arguments {
  std::vector<std::string> devices;
  std::vector<std::string> models;
  std::vector<std::int64_t> batches;
  std::vector<std::string> tables;
  double seconds = 0;
  std::uint64_t seed = 1;
  bool ablation = false;
  bool sweep = false;
  bool fast_groups = false;
  std::string cell;
  std::string markdown;
  std::string json;
};

template <class T>
const std::vector<T>& or_else(const std::vector<T>& given, const std::vector<T>& otherwise) {
  return given.empty() ? otherwise : given;
}

void check_devices(const std::vector<std::string>& devices) {
  for (const std::string& device : devices)
    if (!device.starts_with("sim:"))
      raise(ErrorKind::Usage,
            fmt::format("{} is not simulated: name a device such as sim:a100", quote(device)));
}

std::vector<std::string> names_of_networks() {
  std::vector<std::string> names;
  for (const Network& network : networks()) names.push_back(network.name);
  return names;
}

std::vector<std::string> names_of_zoo() {
  std::vector<std::string> names;
  for (const zoo::ZooModel& model : zoo::models()) names.emplace_back(model.name);
  return names;
}

class Benchmark {
 public:
  Benchmark(const Arguments& options, nlohmann::ordered_json document)
      : options_(options), document_(std::move(document)) {}

  void run() {
    if (!options_.tables.empty())
      read_tables();
    else if (options_.sweep)
      run_sweep();
    else if (options_.ablation)
      run_ablations();
    else
      run_contests();
    const std::string text = markdown(document_, published_);
    if (!options_.markdown.empty()) write_file(options_.markdown, text);
    if (options_.json == "-")
      bench::write_document(document_, "-");
    else
      fmt::print("{}", text);
  }

 private:
  void read_tables() {
    for (const std::string& path : options_.tables) {
      const auto file = MappedFile::open(path);
      append(document_,
             nlohmann::ordered_json::parse(std::string_view(
                 reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size())));
    }
  }

  void run_contests() {
    for_all({"sim:a100", "sim:rtx2080s"}, names_of_networks(), {1}, 60,
            [&](const std::string& model, const Setting& setting) {
              const Contest done = contest(model, setting);
              nlohmann::ordered_json json = json_of(done);
              add_ratios(json, published_);
              add("contests", std::move(json));
              if (options_.fast_groups && model == "resnext-50")
                add("fast_groups", json_of(fast_groups(model, setting, done.ours.optimised.model)));
            });
  }

  void run_ablations() {
    for_all({"sim:a100", "sim:rtx2080s"}, {"nasnet-a-mobile"}, {1}, 60,
            [&](const std::string& model, const Setting& setting) {
              add("ablations", json_of(model, setting, ablations(model, setting)));
            });
  }

  void run_sweep() {
    for_all({"sim:rtx3090", "sim:h100", "sim:v100"}, names_of_zoo(), {1, 2, 8}, 20,
            [&](const std::string& model, const Setting& setting) {
              add("sweep", json_of(sweep_cell(model, setting)));
            });
  }

  /// What was asked for, or else these.
  template <class Do>
  void for_all(const std::vector<std::string>& devices, const std::vector<std::string>& models,
               const std::vector<std::int64_t>& batches, double seconds, Do run_one) {
    for (const std::string& device : or_else(options_.devices, devices))
      for (const std::int64_t batch : or_else(options_.batches, batches))
        for (const std::string& model : or_else(options_.models, models)) {
          fmt::print(stderr, "{}, {}, batch {}\n", model, device, batch);
          run_one(model, Setting{device, batch, options_.seconds > 0 ? options_.seconds : seconds,
                                 options_.seed});
        }
  }

  void add(const char* list, nlohmann::ordered_json row) {
    document_[list].push_back(std::move(row));
    if (!options_.json.empty() && options_.json != "-")
      bench::write_document(document_, options_.json);
  }

  const Arguments& options_;
  PublishedTable published_ = PublishedTable::read();
  nlohmann::ordered_json document_;
};

void add_options(CLI::App& app, Arguments& options) {
  app.add_option("--device", options.devices, "Simulated devices; may be given several times");
  app.add_option("--models", options.models,
                 "Of the zoo, separated by commas; with --sweep also ONNX files")
      ->delimiter(',');
  app.add_option("--batch", options.batches, "Batch sizes, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096));
  app.add_option("--seconds", options.seconds, "For each optimisation")
      ->check(CLI::Range(0.1, 1e5));
  app.add_option("--seed", options.seed, "Of the searches");
  app.add_flag("--fast-groups", options.fast_groups,
               "ResNeXt-50 also with grouped kernels at the fast end of what is thought possible");
  app.add_flag("--ablation", options.ablation, "The optimisation without one of its parts");
  app.add_flag("--sweep", options.sweep, "Other GPUs and batches, all models of the zoo");
  app.add_option("--tables", options.tables, "Print the tables of earlier runs' JSON files")
      ->delimiter(',');
  app.add_option("--cell", options.cell, "Draw the case study of a NASNet cell into this folder");
  app.add_option("--markdown", options.markdown, "Write the tables to this file, too");
  app.add_option("--json", options.json,
                 "Write JSON to this file; - is standard output, instead of the tables");
}

}  // namespace

int main(int count, char** arguments) {
  Arguments options;
  CLI::App app("AutoGraph's table and ablation again, on simulated GPUs");
  add_options(app, options);
  CLI11_PARSE(app, count, arguments);
  try {
    check_devices(options.devices);
    if (!options.cell.empty()) {
      const Setting setting{or_else(options.devices, {"sim:a100"}).front(), 1, options.seconds,
                            options.seed};
      draw_case_study(options.cell, setting,
                      fmt::format("bench_autograph --cell FOLDER --device {}", setting.device));
      return 0;
    }
    Benchmark(options, bench::document_head("autograph", count, arguments)).run();
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "bench_autograph: {}\n", error.what());
    return 1;
  }
}
