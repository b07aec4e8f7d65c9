#include "base/percentiles.h"

#include <cmath>

#include "base/samples.h"

namespace braid {

std::size_t samples_to_resolve(double p) {
  constexpr double kRounding = 1e-6;  // 100 / (100 - 99.9) is a little more than 1000
  return static_cast<std::size_t>(std::ceil(100 / (100 - p) - kRounding));
}

std::optional<double> resolved_percentile(const std::vector<double>& samples, double p) {
  if (samples.size() < samples_to_resolve(p)) return std::nullopt;
  return percentile(samples, p);
}

}  // namespace braid
