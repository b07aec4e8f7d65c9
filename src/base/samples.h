#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace braid {

/// The p-th percentile, p from 0 to 100, interpolated between neighbours. `samples` is not empty.
double percentile(std::vector<double> samples, double p);

/// Of times that differ by factors. `times` is not empty.
double geometric_mean(const std::vector<double>& times);
/// The mean of log(time / other), pair by pair, as far as both go: 0 if there is no pair.
double mean_log_ratio(const std::vector<double>& times, const std::vector<double>& others);
/// What the mean may be off by, as one standard error: pairs differ. 0 if there are not two.
double error_of_mean_log_ratio(const std::vector<double>& times, const std::vector<double>& others);

/// The percentile by which contenders are compared: noise on a shared machine only adds, so a low
/// percentile tells what they can do, and the 20th is steadier than the minimum.
inline constexpr double kContestPercentile = 20;

/// A ratio with the bootstrap interval that holds it with 95 % confidence.
struct RatioInterval {
  double ratio = 1;
  double low = 1;
  double high = 1;
};

/// The 20th percentile of `other` over that of `ours`: above 1 ours is faster. Element i of both
/// was measured in round i; rounds are drawn together, so that what slowed one down slows both.
/// Both have the same length and are not empty.
RatioInterval ratio_of_times(std::span<const double> other, std::span<const double> ours,
                             std::uint64_t seed = 0);

}  // namespace braid
