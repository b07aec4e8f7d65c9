#include "optimise/predicted_time.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace braid {
namespace {

constexpr std::size_t kFewest = 6;
constexpr std::size_t kMost = 400;
constexpr double kLargestAlpha = 15;
/// Ridge: where the samples do not tell, the weights stay near the first ones.
constexpr double kInertia = 0.02;

using Row = std::array<double, 3>;

Row row_of(const TrialCost& cost) { return {cost.critical_path_us, cost.sum_us, cost.launches}; }

/// Solves a x = b, three by three and positive definite, by elimination.
Row solve(std::array<Row, 3> a, Row b) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = i + 1; j < 3; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (std::size_t k = i; k < 3; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  Row x = {};
  for (std::size_t i = 3; i-- > 0;) {
    x[i] = b[i];
    for (std::size_t k = i + 1; k < 3; ++k) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
  return x;
}

}  // namespace

void PredictedTime::add(const TrialCost& cost, double time_us) {
  if (samples_.size() >= kMost) samples_.erase(samples_.begin() + 1);
  samples_.push_back({cost, time_us});
  if (samples_.size() == 1) {
    const double half = (cost.critical_path_us + cost.sum_us) / 2;
    path_ = sum_ = half > 0 ? 0.5 * time_us / half : 0.5;
  }
  if (samples_.size() >= kFewest) fit();
}

// Least squares of relative errors; a weight that comes out negative is set to 0 and the others are
// fitted without it.
void PredictedTime::fit() {
  const Row scale = row_of(samples_[0].cost);
  const Row before = {path_, sum_, launch_};
  std::array<bool, 3> used = {true, true, scale[2] > 0};
  Row weights = {};
  for (int round = 0; round < 3; ++round) {
    std::array<Row, 3> a = {};
    Row b = {};
    for (const Sample& sample : samples_) {
      const Row row = row_of(sample.cost);
      for (std::size_t i = 0; i < 3; ++i) {
        if (!used[i]) continue;
        const double x = row[i] / sample.time_us;
        b[i] += x;
        for (std::size_t j = 0; j < 3; ++j)
          if (used[j]) a[i][j] += x * row[j] / sample.time_us;
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const double x = scale[i] / samples_[0].time_us;
      const double inertia = used[i] ? kInertia * x * x : 1;
      a[i][i] += inertia;
      if (used[i]) b[i] += inertia * before[i];
    }
    weights = solve(a, b);
    bool again = false;
    for (std::size_t i = 0; i < 3; ++i)
      if (used[i] && weights[i] < 0) {
        used[i] = false;
        again = true;
      }
    if (!again) break;
  }
  path_ = std::max(0.0, weights[0]);
  sum_ = std::max({0.0, weights[1], path_ / kLargestAlpha});
  launch_ = std::max(0.0, weights[2]);
}

double PredictedTime::time_us(const TrialCost& cost) const {
  return path_ * cost.critical_path_us + sum_ * cost.sum_us + launch_ * cost.launches;
}

double PredictedTime::alpha() const { return sum_ > 0 ? path_ / sum_ : kLargestAlpha; }

}  // namespace braid
