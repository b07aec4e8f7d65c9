#include "sim/choice.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "base/hash.h"
#include "sim/wobble.h"

namespace braid::sim {
namespace {

/// A library's estimates differ from the fitted ones by up to this, as a logarithm.
constexpr double kDoubt = 0.2;

}  // namespace

std::optional<double> weight_of(const GpuSpec& gpu, const KernelOptions& options,
                                std::string_view kind, std::string_view way, std::uint64_t shape) {
  if (options.measured) return 1;
  const std::optional<double> weight = gpu.weight(kind, way);
  if (!weight || options.draw == 0) return weight;
  const double of_all = wobble(options.draw, way, 0);
  return *weight * std::exp(kDoubt * (of_all + wobble(options.draw, way, shape)) / 2);
}

std::uint64_t shape_number(std::string_view shape) {
  return hash_bytes(std::as_bytes(std::span(shape))).low | 1U;
}

double row_us(const GpuSpec& gpu, const std::vector<Kernel>& kernels) {
  return solo_us(gpu, kernels) - (kernels.empty() ? 0 : gpu.costs.edge_us);
}

Ways with_regret(const GpuSpec& gpu, const KernelOptions& options, std::string_view kind,
                 Ways ways) {
  const auto choice = gpu.choices.find(kind);
  if (choice == gpu.choices.end() || options.measured || options.library == ConvLibrary::CuDnn7)
    return ways;
  const double regret = choice->second.regret;
  for (std::vector<Kernel>& kernels : ways)
    for (Kernel& kernel : kernels) {
      kernel.efficiency /= regret;
      kernel.fill_us *= regret;
      kernel.refill_us *= regret;
    }
  return ways;
}

Ways chosen_first(const GpuSpec& gpu, std::vector<Candidate> candidates) {
  require(!candidates.empty(), "there is a kernel to choose");
  std::size_t best = 0;
  double least = 0;
  Ways ways;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double thought_us = candidates[i].weight * row_us(gpu, candidates[i].kernels);
    if (i == 0 || thought_us < least) {
      best = i;
      least = thought_us;
    }
    ways.push_back(std::move(candidates[i].kernels));
  }
  const auto first = ways.begin() + static_cast<std::ptrdiff_t>(best);
  std::rotate(ways.begin(), first, first + 1);
  return ways;
}

}  // namespace braid::sim
