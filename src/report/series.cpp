#include "report/series.h"

#include <algorithm>
#include <tuple>

namespace braid {

using Points = std::vector<TraceSeries::Point>;

Points summed(const std::vector<Extent>& extents) {
  std::vector<std::tuple<double, bool, double>> changes;  // when, begins, by how much
  for (const Extent& extent : extents) {
    if (extent.end_us <= extent.begin_us) continue;
    changes.emplace_back(extent.begin_us, true, extent.amount);
    changes.emplace_back(extent.end_us, false, -extent.amount);
  }
  std::sort(changes.begin(), changes.end());
  Points points;
  double level = 0;
  for (const auto& [at_us, begins, amount] : changes) {
    level += amount;
    if (points.empty() || points.back().at_us < at_us)
      points.push_back({at_us, level});
    else
      points.back().value = level;
  }
  return points;
}

Points thinned(Points points, double end_us, std::size_t most, Thin how) {
  if (points.size() <= most || end_us <= 0) return points;
  const double width = end_us / static_cast<double>(most);
  Points bins(most);
  for (std::size_t i = 0; i < most; ++i) bins[i].at_us = width * static_cast<double>(i);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double begin = std::max(0.0, points[i].at_us);
    const double end = std::min(end_us, i + 1 < points.size() ? points[i + 1].at_us : end_us);
    for (auto bin = static_cast<std::size_t>(begin / width); bin < most; ++bin) {
      const double from = std::max(begin, bins[bin].at_us);
      const double share = (std::min(end, bins[bin].at_us + width) - from) / width;
      if (share <= 0 && bins[bin].at_us >= end) break;
      if (how == Thin::Mean)
        bins[bin].value += std::max(0.0, share) * points[i].value;
      else
        bins[bin].value = std::max(bins[bin].value, points[i].value);
    }
  }
  return bins;
}

}  // namespace braid
