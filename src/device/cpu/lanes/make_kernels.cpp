#include "device/cpu/lanes/make_kernels.h"

#include <atomic>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>

#include "device/cpu/lanes/lane_settings.h"

namespace braid::cpu {
namespace {

/// The steps that run a kernel, by node.
std::vector<std::vector<const Step*>> steps_of_nodes(const Graph& lowered,
                                                     std::span<const Plan> plans) {
  std::vector<std::vector<const Step*>> steps(lowered.node_limit());
  for (const Plan& plan : plans)
    for (const std::vector<Step>& stream : plan.streams)
      for (const Step& step : stream)
        if (lowered.alive(step.node) && !is_view(lowered.node(step.node)))
          steps[step.node.at()].push_back(&step);
  return steps;
}

void make_steps(const std::vector<const Step*>& steps, KernelStore& kernels) {
  try {
    for (const Step* step : steps) kernels.kernel_of(*step);
  } catch (const std::exception&) {
    return;  // kernel_of() throws it again.
  }
}

/// At most so many threads: fewer where the system has no more.
std::vector<std::jthread> started(int most, const std::function<void()>& body) {
  std::vector<std::jthread> threads;
  try {
    for (int i = 0; i < most; ++i) threads.emplace_back(body);
  } catch (const std::system_error&) {
    return threads;
  }
  return threads;
}

}  // namespace

void make_kernels(const Graph& lowered, std::span<const Plan> plans, int threads,
                  KernelStore& kernels) {
  const auto steps = steps_of_nodes(lowered, plans);
  std::atomic<std::size_t> next = 0;
  const auto make = [&] {
    const LaneSettings settings;
    for (std::size_t node = next++; node < steps.size(); node = next++)
      make_steps(steps[node], kernels);
  };
  const std::vector<std::jthread> others = started(threads - 1, make);
  make();
}

}  // namespace braid::cpu
