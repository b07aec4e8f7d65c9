#pragma once

#include <string_view>
#include <vector>

namespace braid {

/// A figure with its uncertainty.
struct Band {
  double median = 0;
  double p10 = 0;
  double p90 = 0;
};

/// How long one run takes on a device that is only modelled: by the model itself, and by an
/// ensemble of perturbed models that no search has seen. All Programs of a device meet the same
/// draws in the same order, so that two of them can be compared draw by draw.
struct SimulatedTime {
  double nominal_us = 0;
  std::vector<double> draws_us;

  Band band_us() const;
};

/// The time of `a` over that of `b`, draw by draw. Both have the same draws, and at least one.
Band ratio_band(const SimulatedTime& a, const SimulatedTime& b);

enum class Verdict { Faster, Slower, Tie };

/// Whether `a` beats `b`: only if it does in nine draws of ten, and by more than the model can
/// resolve in the median; else they are a tie.
Verdict compare(const SimulatedTime& a, const SimulatedTime& b);
std::string_view name(Verdict verdict);

/// The smallest difference that the model can tell, as a share of the time.
inline constexpr double kSimulatedResolution = 0.05;

/// Median and 10th and 90th percentile, interpolated. `samples` is not empty.
Band band_of(const std::vector<double>& samples);

}  // namespace braid
