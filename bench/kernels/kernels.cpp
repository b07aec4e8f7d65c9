// Times every way to run the convolutions and products of models, on one core:
//
//     ./run bench-tool kernels --models resnet-50 --only 3x3
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "contest.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/machine/cores.h"
#include "device/cpu/machine/isa.h"
#include "products.h"
#include "report.h"
#include "shared/document.h"

namespace {

using namespace braid;
using namespace braid::kernels_bench;

constexpr const char* kAbout =
    "Time every way to run the convolutions and products of models, on one core.\n\n"
    "Ways take turns in shuffled rounds. Before each round other memory is read, as much as the\n"
    "largest model touches between two uses of a weight; just before the kernel runs, inputs are\n"
    "written, and the bytes of outputs and scratch are read: so all lie where they lie in a run "
    "of\n"
    "a model. Reorders that a way would need are not counted. The peak is that of multiply-adds in "
    "registers, measured\n"
    "between the turns with the same instruction set; windows over padding count as work, so a "
    "way\n"
    "that leaves them out may seem to exceed it. A star marks the way that lowering takes.";
constexpr const char* kExamples =
    "Examples:\n"
    "  bench_kernels --models resnet-50,squeezenet-1.1\n"
    "  bench_kernels --models resnet-50 --only '3x3 .*strides' --rounds 50\n"
    "  bench_kernels --models my.onnx --batch 4 --isa avx2 --json kernels.json\n";

struct Arguments {
  Choice choice = {.models = {"squeezenet-1.1", "resnet-50"}};
  std::vector<std::string> dims;
  std::string isa;
  std::string json;
  ContestOptions contest;
};

std::map<std::string, std::int64_t> sizes_of(const std::vector<std::string>& dims) {
  std::map<std::string, std::int64_t> sizes;
  for (const std::string& dim : dims) {
    const std::size_t at = dim.rfind('=');
    const char* end = dim.data() + dim.size();
    std::int64_t size = 0;
    if (at == std::string::npos || std::from_chars(dim.data() + at + 1, end, size).ptr != end ||
        size < 1)
      raise(ErrorKind::Usage, fmt::format("--dim {}: expected NAME=SIZE", quote(dim)));
    sizes[dim.substr(0, at)] = size;
  }
  return sizes;
}

/// Ties this thread to the first core that it may use; returns which.
int stay_on_one_core() {
  const int core = cpu::usable_cores().allowed.front();
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
  return core;
}

void run(Arguments options, nlohmann::ordered_json document) {
  options.choice.dims = sizes_of(options.dims);
  if (!options.isa.empty()) cpu::limit_isa(cpu::isa_named(options.isa, "--isa"));
  const auto device = cpu::make_device({.threads = 1});
  const Products products = products_of(options.choice, *device);
  const int core = stay_on_one_core();
  const Results results = measure(products, options.contest);
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
  const std::string machine =
      fmt::format("{}; core {}; {} MiB between uses; peak {:.1f} GFLOP/s", device->fingerprint(),
                  core, products.between_bytes >> 20, results.peak_gflops);
  document["simulated"] = false;
  document["conditions"] = machine;
  document["isa"] = cpu::name(cpu::isa());
  document["peak_gflops"] = results.peak_gflops;
  document["rounds"] = options.contest.rounds;
  document["results"] = json_of(products, results);
  if (!options.json.empty()) bench::write_document(document, options.json);
  if (options.json != "-") fmt::print("{}\n{}", machine, table(products, results));
}

bool show_progress(std::string_view phase, std::int64_t done, std::int64_t total) {
  fmt::print(stderr, "\r\033[K{}: {} of {} operators", phase, done, total);
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  Arguments options;
  CLI::App app(kAbout);
  app.footer(kExamples);
  app.add_option("--models", options.choice.models,
                 "Models of the zoo or ONNX files, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--batch", options.choice.batch,
                 "Of models of the zoo, and of files that leave it open")
      ->check(CLI::Range(1, 4096));
  app.add_option("--dim", options.dims, "NAME=SIZE: a dimension that files leave open");
  app.add_option("--isa", options.isa, "Use no more than baseline, avx2 or avx512");
  app.add_option("--only", options.choice.only,
                 "Only operators in whose text this regular expression is found");
  app.add_option("--rounds", options.contest.rounds, "Turns of each way")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--duration", options.contest.seconds, "Stop after about so many seconds")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--json", options.json,
                 "Write JSON to this file; - is standard output, instead of the table");
  CLI11_PARSE(app, count, arguments);
  if (isatty(STDERR_FILENO) != 0) options.contest.progress = show_progress;
  try {
    run(std::move(options), bench::document_head("kernels", count, arguments));
  } catch (const Error& error) {
    fmt::print(stderr, "bench_kernels: {}\n", error.what());
    return 1;
  }
  return 0;
}
