#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace braid {

/// How many samples it takes until one of them lies beyond the p-th percentile: 1000 for
/// the 99.9th.
std::size_t samples_to_resolve(double p);

/// The p-th percentile (base/samples.h); nothing if there are too few samples to tell it from the
/// largest.
std::optional<double> resolved_percentile(const std::vector<double>& samples, double p);

}  // namespace braid
