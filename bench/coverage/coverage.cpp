// Which share of each zoo model's time on a simulated GPU rests on measured kernels: the nominal
// times of all kernels alone, those of families and shapes that measurements cover over all.
//
//     build/release/bench/bench_coverage [GPU...]
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "device/sim/sim_device.h"
#include "devices/open.h"
#include "rewrite/canonicalise.h"
#include "sim/plan_launches.h"
#include "zoo/zoo.h"

namespace {

using namespace braid;

struct Share {
  double covered = 0;
  std::string largest;  ///< family of those that are not covered, and its share
};

Share share_of(const sim::GpuSpec& gpu, const sim::KernelOptions& options, const Graph& lowered) {
  const sim::NodeKernels kernels = sim::node_kernels(gpu, lowered, options);
  double all_us = 0;
  double covered_us = 0;
  std::map<std::string, double> others;
  for (NodeId node : lowered.node_ids()) {
    const auto way = static_cast<std::size_t>(kernels.ways[node.at()]);
    for (auto i = kernels.first[way]; i < kernels.first[way + 1]; ++i) {
      const sim::Kernel& kernel = kernels.kernels[static_cast<std::size_t>(i)];
      const double us = solo_us(gpu, kernel);
      all_us += us;
      (kernel.covered ? covered_us : others[kernel.family]) += us;
    }
  }
  Share share;
  share.covered = covered_us / all_us;
  double most = 0;
  for (const auto& [family, us] : others)
    if (us > most) {
      most = us;
      share.largest = fmt::format("{} {:.0f} %", family, 100 * us / all_us);
    }
  return share;
}

void print_gpu(const std::string& name) {
  const auto device = open_device("sim:" + name);
  const sim::GpuSpec gpu = sim::gpu_of(name);
  const sim::KernelOptions options = sim::kernel_options_of(name);
  for (const zoo::ZooModel& model : zoo::models()) {
    const Graph graph = canonicalise(zoo::build(model.name), {}).graph;
    const Share share = share_of(gpu, options, device->lower(graph, device->modelled_costs()));
    fmt::print("{:12}{:20}{:>8.0f} %    {}\n", name, model.name, 100 * share.covered,
               share.largest);
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    std::vector<std::string> names(arguments + 1, arguments + count);
    if (names.empty()) names = {"v100", "a100"};
    fmt::print("{:12}{:20}{:>10}    {}\n", "GPU", "model", "measured", "most of the rest");
    for (const std::string& name : names) print_gpu(name);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
