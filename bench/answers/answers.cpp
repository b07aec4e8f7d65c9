// How often the fitted rules choose what cuDNN's heuristics answer, GPU by GPU and by kind of
// convolution.
//
//     ./run bench-tool answers
//
// With tensor cores allowed where the GPU has them, as cuDNN was asked.
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/builder.h"
#include "sim/kernels.h"

namespace {

using namespace braid;
using namespace braid::sim;

struct Agreement {
  int asked = 0;
  int equal = 0;         ///< the same kernels
  int tensor_cores = 0;  ///< both take tensor cores, or neither
};

/// "1x3x224x224 64x3x7x7 pads=3,3,3,3 strides=2,2 dilations=1,1" as a graph of one convolution.
Graph graph_of(const std::string& key) {
  static const std::regex form(R"((\S+) (\S+) pads=(\S+) strides=(\S+) dilations=(\S+))");
  std::smatch part;
  require(std::regex_match(key, part, form), "answers name convolutions by conv_key()");
  const auto dims = [](std::string text) {
    std::replace(text.begin(), text.end(), 'x', ',');
    return text;
  };
  return parse(
      fmt::format("x: f32[{}]\ny = Conv(x, w: f32[{}]) pads=[{}] strides=[{}] dilations=[{}]",
                  dims(part[1]), dims(part[2]), part[3].str(), part[4].str(), part[5].str()));
}

std::string kind_of(const std::string& key) {
  static const std::regex kernel(R"(\S+ \d+x\d+x(\d+x\d+) \S+ strides=(\d))");
  std::smatch part;
  if (!std::regex_search(key, part, kernel)) return "other";
  const std::string kind = fmt::format("{} stride {}", part[1].str(), part[2].str());
  return part[1] == "1x1" || part[1] == "3x3" ? kind : "other";
}

/// The families of the kernels that do the arithmetic or Winograd's steps.
std::vector<std::string> families(const GpuSpec& gpu, const Graph& graph,
                                  const KernelOptions& options) {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels_of(gpu, graph, graph.node_ids().front(), options))
    if (kernel.family != "layout_change" && kernel.family != "conv_offsets" &&
        kernel.family != "split_k_reduce")
      names.push_back(kernel.family.starts_with("tf32") ? "tf32" : kernel.family);
  return names;
}

void print_gpu(const std::string& name) {
  const GpuSpec gpu = load_gpu_spec(name);
  if (!gpu.conv_answers) return;
  std::map<std::string, Agreement> kinds;
  for (const auto& [key, choices] : gpu.conv_answers->convolutions) {
    const Graph graph = graph_of(key);
    KernelOptions options;
    if (gpu.tensor_flops_per_us > 0) options.precision = Precision::Tf32;
    const std::vector<std::string> rules = families(gpu, graph, options);
    options.answers = true;
    const std::vector<std::string> answered = families(gpu, graph, options);
    for (const std::string& kind : {kind_of(key), std::string("all")}) {
      Agreement& row = kinds[kind];
      ++row.asked;
      row.equal += rules == answered ? 1 : 0;
      row.tensor_cores += (rules.back() == "tf32") == (answered.back() == "tf32") ? 1 : 0;
    }
  }
  for (const auto& [kind, row] : kinds)
    fmt::print("{:12}{:16}{:>6}{:>10.0f} %{:>16.0f} %\n", name, kind, row.asked,
               100.0 * row.equal / row.asked, 100.0 * row.tensor_cores / row.asked);
}

}  // namespace

int main() {
  try {
    fmt::print("{:12}{:16}{:>6}{:>12}{:>18}\n", "GPU", "convolutions", "asked", "equal",
               "tensor cores");
    for (const std::string& name : gpu_names()) print_gpu(name);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
