// Published figures beside what the GPU model says of them in their authors' own set-ups, and how
// far apart they are in all. Everything printed under "simulated" is simulated.
//
//     ./run bench-tool gpu_model [[NAME=]IOS_SCHEDULE.json…] [--only TEXT] [--sweep]
//         [--json [FILE]]
//
// published.json has the figures. The arguments are schedules of Inception-v3 that IOS wrote, under
// the names that published.json has for them; without a name, the one for batch 1 on a V100.
#include <cstdio>
#include <ctime>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "print.h"
#include "schedule/schedulers.h"
#include "shared/captured.h"
#include "shared/document.h"
#include "shared/published.h"
#include "sweep.h"

namespace {

using namespace braid;
using namespace braid::gpu_model;

struct Arguments {
  std::vector<std::string> schedules;
  std::string published = bench::published_file();
  std::string only;
  std::string json;
  bool sweep = false;
};

std::map<std::string, std::string> files_of(const std::vector<std::string>& schedules) {
  std::map<std::string, std::string> files;
  for (const std::string& text : schedules) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      files["v100-batch-1"] = text;
    else
      files[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return files;
}

/// The processor time of one simulation, kernels chosen before.
nlohmann::ordered_json speed(std::string_view network, std::FILE* out) {
  const bench::Captured one = bench::capture("a100", "eager", network, 1);
  const auto program = one.device->compile(one.lowered, one.plan("opara"));
  const std::clock_t start = std::clock();
  const std::size_t runs = program->simulate()->draws_us.size() + 1;
  const double ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double each = ms / static_cast<double>(runs);
  fmt::print(out, "{}: {:.1f} ms of processor time per simulation of {} nodes\n", network, each,
             one.lowered.node_count());
  return {{"network", network}, {"nodes", one.lowered.node_count()}, {"ms_per_simulation", each}};
}

void run(const Arguments& options, nlohmann::ordered_json document) {
  const bench::Published published = bench::read_published(options.published);
  Simulations simulations(files_of(options.schedules));
  // Standard output is for one of the two.
  std::FILE* out = options.json == "-" ? stderr : stdout;
  std::vector<SimulatedRow> rows;
  print_head(out);
  for (const bench::PublishedRow& row : published.rows) {
    if (row.id.find(options.only) == std::string::npos) continue;
    rows.push_back(simulations.simulate(row));
    print_row(out, rows.back());
    std::fflush(out);
    document["rows"].push_back(json_of(rows.back()));
  }
  const Summary summary =
      summarise(rows, options.only.empty() ? published.outside : std::vector<bench::OutsideRow>());
  if (!rows.empty()) print_summary(out, summary);
  document["summary"] = json_of(summary);
  if (options.sweep) document["sweep"] = sweep(simulations, options.only, out);
  fmt::print(out, "\n");
  if (options.only.empty())
    for (const char* network : {"inception-v3", "nasnet-a-large"})
      document["speed"].push_back(speed(network, out));
  if (!options.json.empty()) bench::write_document(document, options.json);
}

}  // namespace

int main(int count, char** arguments) {
  Arguments options;
  CLI::App app("Published figures beside what the GPU model says of them");
  app.add_option("schedules", options.schedules, "[NAME=]FILE: schedules that IOS wrote");
  app.add_option("--published", options.published, "The file of published figures");
  app.add_option("--only", options.only, "Rows with this text in their id");
  app.add_option("--json", options.json, "Write JSON: to this file, or instead of the table")
      ->expected(0, 1)
      ->default_str("-");
  app.add_flag("--sweep", options.sweep, "Also simulate growing batches");
  CLI11_PARSE(app, count, arguments);
  try {
    run(options, bench::document_head("gpu_model", count, arguments));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
