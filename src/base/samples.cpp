#include "base/samples.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace braid {
namespace {

constexpr std::size_t kMostReplicates = 1000;
constexpr std::size_t kLeastReplicates = 200;
constexpr std::size_t kMostDraws = 4'000'000;  ///< of all replicates together

/// The p-th percentile; reorders the samples.
double percentile_of(std::span<double> samples, double p) {
  const double at = std::clamp(p, 0.0, 100.0) / 100 * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(at));
  std::nth_element(samples.begin(), samples.begin() + below, samples.end());
  const double low = samples[static_cast<std::size_t>(below)];
  const double share = at - static_cast<double>(below);
  if (share <= 0) return low;
  const double high = *std::min_element(samples.begin() + below + 1, samples.end());
  return low + share * (high - low);
}

}  // namespace

double percentile(std::vector<double> samples, double p) { return percentile_of(samples, p); }

RatioInterval ratio_of_times(std::span<const double> other, std::span<const double> ours,
                             std::uint64_t seed) {
  const std::size_t rounds = ours.size();
  std::vector<double> a(other.begin(), other.end());
  std::vector<double> b(ours.begin(), ours.end());
  RatioInterval result;
  result.ratio = percentile_of(a, kContestPercentile) / percentile_of(b, kContestPercentile);

  std::mt19937_64 random(seed);
  std::vector<double> replicates(
      std::clamp(kMostDraws / rounds, kLeastReplicates, kMostReplicates));
  for (double& replicate : replicates) {
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t round = random() % rounds;
      a[i] = other[round];
      b[i] = ours[round];
    }
    replicate = percentile_of(a, kContestPercentile) / percentile_of(b, kContestPercentile);
  }
  result.low = percentile_of(replicates, 2.5);
  result.high = percentile_of(replicates, 97.5);
  return result;
}

double geometric_mean(const std::vector<double>& times) {
  double sum = 0;
  for (const double time : times) sum += std::log(time);
  return std::exp(sum / static_cast<double>(times.size()));
}

double mean_log_ratio(const std::vector<double>& times, const std::vector<double>& others) {
  double sum = 0;
  const std::size_t count = std::min(times.size(), others.size());
  for (std::size_t i = 0; i < count; ++i) sum += std::log(times[i] / others[i]);
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

double error_of_mean_log_ratio(const std::vector<double>& times,
                               const std::vector<double>& others) {
  const double mean = mean_log_ratio(times, others);
  const std::size_t count = std::min(times.size(), others.size());
  if (count < 2) return 0;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double off = std::log(times[i] / others[i]) - mean;
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(count * (count - 1)));
}

}  // namespace braid
