#include "explain/side_by_side.h"

#include <algorithm>

#include "sim/plan_launches.h"

namespace braid {
namespace {

/// In which way the Plan runs the node.
std::size_t way_of(const Plan& plan, NodeId node) {
  for (const auto& stream : plan.streams)
    for (const Step& step : stream)
      if (step.node == node) return static_cast<std::size_t>(step.way);
  return 0;
}

std::optional<sim::Kernel> longest_kernel(const Subject& subject, NodeId node) {
  const sim::GpuSpec& gpu = *subject.gpu;
  const sim::KernelOptions options = sim::options_for(gpu, subject.graph, subject.kernels);
  const auto time_us = [&](const sim::Kernel& kernel) { return sim::solo_us(gpu, kernel); };
  const sim::Ways ways = sim::ways_of(gpu, subject.graph, node, options);
  const std::vector<sim::Kernel>& kernels = ways.at(way_of(subject.plan, node));
  const auto longest = std::ranges::max_element(kernels, {}, time_us);
  return longest == kernels.end() ? std::nullopt : std::optional(*longest);
}

}  // namespace

std::optional<sim::Interference> side_by_side(const Subject& subject, NodeId a, NodeId b) {
  if (subject.gpu == nullptr) return std::nullopt;
  const auto first = longest_kernel(subject, a);
  const auto second = longest_kernel(subject, b);
  if (!first || !second) return std::nullopt;
  return sim::interference(*subject.gpu, *first, *second);
}

}  // namespace braid
