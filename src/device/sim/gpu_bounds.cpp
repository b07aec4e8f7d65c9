#include "device/sim/gpu_bounds.h"

#include <algorithm>
#include <array>

#include "sim/plan_launches.h"

namespace braid::sim {
namespace {

/// What a way to run a node takes at least: of time, and of what all share.
struct Need {
  double alone_us = 0;
  std::array<double, Machine::kPipes> pipes_us = {};  ///< of the pipes of all SMs
  double dram_us = 0;
  double l2_us = 0;

  void each(const Need& other, const auto& combine) {
    alone_us = combine(alone_us, other.alone_us);
    for (std::size_t i = 0; i < pipes_us.size(); ++i)
      pipes_us[i] = combine(pipes_us[i], other.pipes_us[i]);
    dram_us = combine(dram_us, other.dram_us);
    l2_us = combine(l2_us, other.l2_us);
  }
};

class NodeNeeds {
 public:
  NodeNeeds(const SimSettings& settings, const Graph& lowered)
      : gpu_(settings.gpu),
        kernels_(node_kernels(*settings.ways, lowered)),
        machine_(gpu_, kernels_.kernels),
        alone_(machine_) {}

  /// The least of every way.
  Need of(NodeId node) {
    const std::int32_t first = kernels_.ways[node.at()];
    Need least = of_way(first);
    for (std::int32_t way = first + 1; way < kernels_.ways[node.at() + 1]; ++way)
      least.each(of_way(way), [](double a, double b) { return std::min(a, b); });
    return least;
  }

 private:
  Need of_way(std::int32_t way) {
    Need sum;
    const std::int32_t first = kernels_.first[static_cast<std::size_t>(way)];
    const std::int32_t behind = kernels_.first[static_cast<std::size_t>(way) + 1];
    for (std::int32_t kernel = first; kernel < behind; ++kernel) {
      if (kernel > first) sum.alone_us += gpu_.costs.edge_us;
      sum.each(of_kernel(kernel), [](double a, double b) { return a + b; });
    }
    return sum;
  }

  Need of_kernel(std::int32_t index) {
    const MachineKernel& kernel = machine_.kernel(index);
    const auto blocks = static_cast<double>(kernel.blocks);
    const LaunchTimes times =
        alone_.run({.slots = {{.kernel = index}}, .waits = {}}).launches.front();
    Need need;
    need.alone_us = times.end_us - times.begin_us;
    need.pipes_us[kernel.pipe] = blocks / (kernel.full_rate * gpu_.sms);
    need.dram_us = blocks * kernel.dram_bytes / gpu_.dram_bytes_per_us;
    need.l2_us = blocks * kernel.l2_bytes / gpu_.l2_bytes_per_us;
    return need;
  }

  const GpuSpec& gpu_;
  NodeKernels kernels_;
  Machine machine_;
  Simulator alone_;
};

/// How much of the bounds of work and memory is left where the spec states what kernels do to one
/// another. Two that take `s` times as long side by side get 2 / s times as much done, more of them
/// up to 1 / (s - 1) times.
double certain_share(const GpuSpec& gpu) {
  double share = 1;
  for (const StatedInterference& row : gpu.interference)
    share = std::min({share, row.slowdown_first - 1, row.slowdown_second - 1});
  return share;
}

}  // namespace

Bounds gpu_bounds(const SimSettings& settings, const Graph& lowered) {
  const TaskGraph tasks = task_graph(lowered);
  NodeNeeds needs(settings, lowered);
  std::vector<double> alone_us;
  Need all;
  for (NodeId node : tasks.nodes) {
    const Need need = needs.of(node);
    alone_us.push_back(need.alone_us);
    all.each(need, [](double a, double b) { return a + b; });
  }
  const LaunchCosts& costs = settings.gpu.costs;
  const auto pipe = [&](Pipe which) { return all.pipes_us[static_cast<std::size_t>(which)]; };
  Bounds bounds;
  bounds.critical_path =
      longest_path(tasks, alone_us, std::min(costs.edge_us, costs.cross_edge_us));
  bounds.critical_path_us = path_us(bounds.critical_path);
  const double share = certain_share(settings.gpu);
  bounds.work_us = share * std::max(pipe(Pipe::Fp32), pipe(Pipe::Tensor));
  bounds.bandwidth_us = share * std::max({all.dram_us, all.l2_us, pipe(Pipe::Memory)});
  return bounds;
}

}  // namespace braid::sim
