#include "choose/unseen.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/samples.h"

namespace braid {
namespace {

/// A Plan that is ahead in the mean only because it is far ahead in some models is worth less.
constexpr double kCaution = 0.2;

/// Logarithms of the ratios: their mean, and a part of their spread.
double cautious_ratio(const std::vector<double>& times, const std::vector<double>& others) {
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double ratio = std::log(times[i] / others[i]);
    sum += ratio;
    squares += ratio * ratio;
  }
  const double mean = sum / static_cast<double>(times.size());
  return mean + kCaution * std::sqrt(std::max(
                               0.0, squares / static_cast<double>(times.size()) - mean * mean));
}

}  // namespace

Kept fastest_unseen(Judge& judge, std::vector<Plan> plans, std::string_view scheduler) {
  std::vector<std::vector<double>> times;
  for (const Plan& plan : plans) times.push_back(judge.unseen_us(plan));
  const auto is_own = [&](std::size_t i) { return plans[i].scheduler == scheduler; };
  const auto least = [&](bool own, const auto& score) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (is_own(i) == own && (!best || score(i) < score(*best))) best = i;
    return best;
  };
  const auto other = least(false, [&](std::size_t i) { return geometric_mean(times[i]); });
  const std::size_t reference = other.value_or(0);
  const auto score = [&](std::size_t i) { return cautious_ratio(times[i], times[reference]); };
  const auto own = least(true, score);
  const std::string where =
      fmt::format("in {} perturbed models that no search has seen, simulated", times[0].size());
  const auto ms = [&](std::size_t i) { return geometric_mean(times[i]) / 1e3; };
  Kept chosen;
  if (!own || !other) {
    chosen = {std::move(plans[own ? *own : *other]),
              fmt::format("the fastest of {} Plans {}", plans.size(), where)};
  } else if (score(*own) < 0) {
    chosen = {std::move(plans[*own]),
              fmt::format("the search's own Plan takes {:.3f} ms and {}'s, the best of the other "
                          "schedulers', {:.3f} ms {}",
                          ms(*own), plans[*other].scheduler, ms(*other), where)};
  } else {
    const std::string name = plans[*other].scheduler;
    chosen = {std::move(plans[*other]),
              fmt::format("{}'s Plan takes {:.3f} ms and the search's own {:.3f} ms, or is less "
                          "surely good, {}",
                          name, ms(*other), ms(*own), where)};
  }
  chosen.plan.scheduler = scheduler;
  return chosen;
}

}  // namespace braid
