#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/kernels.h"

namespace braid::sim {

/// A way to run an operator, and how dear the library that chooses thinks it.
struct Candidate {
  std::vector<Kernel> kernels;
  double weight = 1;  ///< of its time
};

/// The weight of a way to run an operator of that kind and shape: what GpuSpec::weight() says, and
/// in a draw as much more or less as the fitted choice disagrees with measured ones. Nothing if the
/// library does not consider the way. If it measures, all count alike.
std::optional<double> weight_of(const GpuSpec& gpu, const KernelOptions& options,
                                std::string_view kind, std::string_view way, std::uint64_t shape);
/// A number for a shape, by which weights in a draw tell it from others.
std::uint64_t shape_number(std::string_view shape);

/// The time of the kernels one after another, with the edges between them.
double row_us(const GpuSpec& gpu, const std::vector<Kernel>& kernels);

/// The ways as slow as they are on average where the library chooses between them by its estimates;
/// unchanged if it measures.
Ways with_regret(const GpuSpec& gpu, const KernelOptions& options, std::string_view kind,
                 Ways ways);

/// The candidate of the least weight times time comes first; the others stay in their order.
/// `candidates` is not empty.
Ways chosen_first(const GpuSpec& gpu, std::vector<Candidate> candidates);

}  // namespace braid::sim
