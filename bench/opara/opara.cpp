// Opara's table and ablations again, on simulated GPUs, with Braid's own scheduler beside them:
//
//     ./run bench-tool opara [--networks NAME,…] [--batches N,…] [--device sim:GPU]
//         [--markdown FILE] [--json FILE]
//
// Each network is simulated on the GPU that it was measured on, unless --device names another, as
// PyTorch runs it: a kernel or more for every operator, in one CUDA Graph. Prints Markdown.
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"
#include "report.h"
#include "shared/document.h"

namespace {

using namespace braid;
using namespace braid::opara_table;

struct Arguments {
  std::vector<std::string> networks;
  std::vector<std::int64_t> batches = {1};
  std::string device;
  std::string markdown;
  std::string json;
};

std::vector<Network> chosen(const std::vector<std::string>& names) {
  if (names.empty()) return networks();
  std::vector<Network> result;
  for (const std::string& name : names) {
    std::string known;
    for (const Network& network : networks()) {
      known += (known.empty() ? "" : ", ") + network.published;
      if (network.name == name || network.published == name) result.push_back(network);
    }
    if (result.empty() || (result.back().name != name && result.back().published != name))
      raise(ErrorKind::Usage,
            fmt::format("Opara was not measured on {}, but on {}", quote(name), known));
  }
  return result;
}

void run(const Arguments& options, nlohmann::ordered_json document) {
  const bench::Published published = bench::read_published(bench::published_file());
  std::vector<Contest> contests;
  for (const Network& network : chosen(options.networks)) {
    for (std::int64_t batch : options.batches) {
      fmt::print(stderr, "{}, batch {}\n", network.title, batch);
      contests.push_back(contest(network, batch, options.device));
      document["contests"].push_back(json_of(contests.back(), published));
    }
  }
  const std::string text = markdown(contests, published);
  if (!options.markdown.empty()) write_file(options.markdown, text);
  if (!options.json.empty()) bench::write_document(document, options.json);
  if (options.json != "-") fmt::print("{}", text);
}

}  // namespace

int main(int count, char** arguments) {
  Arguments options;
  CLI::App app("Opara's table and ablations again, on simulated GPUs");
  app.add_option("--networks", options.networks, "Of Opara's, separated by commas")->delimiter(',');
  app.add_option("--batches", options.batches, "Batch sizes, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096));
  app.add_option("--device", options.device, "Simulate all on this one, such as sim:a100+tf32");
  app.add_option("--markdown", options.markdown, "Write the tables to this file, too");
  app.add_option("--json", options.json,
                 "Write JSON to this file; - is standard output, instead of the tables");
  CLI11_PARSE(app, count, arguments);
  try {
    run(options, bench::document_head("opara", count, arguments));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
