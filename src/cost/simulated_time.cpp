#include "cost/simulated_time.h"

#include "base/error.h"
#include "base/samples.h"

namespace braid {
Band band_of(const std::vector<double>& samples) {
  require(!samples.empty(), "a band needs samples");
  return {percentile(samples, 50), percentile(samples, 10), percentile(samples, 90)};
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
  return band_of(ratios);
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
