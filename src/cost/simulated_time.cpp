#include "cost/simulated_time.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace braid {
namespace {

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - std::floor(at));
}

}  // namespace

Band band_of(std::vector<double> samples) {
  require(!samples.empty(), "a band needs samples");
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.5), quantile(samples, 0.1), quantile(samples, 0.9)};
}

Band SimulatedTime::band_us() const {
  if (draws_us.empty()) return {nominal_us, nominal_us, nominal_us};
  return band_of(draws_us);
}

Band ratio_band(const SimulatedTime& a, const SimulatedTime& b) {
  require(!a.draws_us.empty() && a.draws_us.size() == b.draws_us.size(),
          "two simulated times are compared draw by draw");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.draws_us.size(); ++i)
    ratios.push_back(a.draws_us[i] / b.draws_us[i]);
  return band_of(std::move(ratios));
}

Verdict compare(const SimulatedTime& a, const SimulatedTime& b) {
  const Band band = ratio_band(a, b);
  if (band.p90 < 1 && band.median < 1 - kSimulatedResolution) return Verdict::Faster;
  if (band.p10 > 1 && band.median > 1 / (1 - kSimulatedResolution)) return Verdict::Slower;
  return Verdict::Tie;
}

std::string_view name(Verdict verdict) {
  if (verdict == Verdict::Faster) return "faster";
  return verdict == Verdict::Slower ? "slower" : "tie";
}

}  // namespace braid
