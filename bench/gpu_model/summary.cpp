#include "summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>

namespace braid::gpu_model {
namespace {

/// A schedule that is faster than Opara's by no more than this share is no faster.
constexpr double kSame = 0.01;

using Rows = std::vector<const SimulatedRow*>;

ErrorGroup errors_of(const std::string& name, const Rows& rows) {
  ErrorGroup group{.name = name, .rows = rows.size()};
  for (const SimulatedRow* row : rows) {
    const double error = std::abs(row->error());
    group.mean_error += error / static_cast<double>(rows.size());
    group.worst_error = std::max(group.worst_error, error);
    group.inside_band += (row->inside_band() ? 1.0 : 0.0) / static_cast<double>(rows.size());
  }
  return group;
}

void add_groups(std::vector<ErrorGroup>& groups, const Rows& rows,
                const std::function<std::string(const PublishedRow&)>& key) {
  std::map<std::string, Rows> by_key;
  for (const SimulatedRow* row : rows) by_key[key(row->row)].push_back(row);
  for (const auto& [name, some] : by_key) groups.push_back(errors_of(name, some));
}

Widths widths_of(const Rows& rows, bool ratios) {
  std::vector<double> widths;
  for (const SimulatedRow* row : rows)
    if (row->row.is_ratio() == ratios) widths.push_back(row->band.p90 / row->band.p10);
  if (widths.empty()) return {};
  return {widths.size(), band_of(widths).median, *std::ranges::max_element(widths)};
}

std::vector<FirstCase> first_cases(const Rows& rows) {
  std::map<std::string, Rows> cases;
  for (const SimulatedRow* row : rows)
    if (row->row.paper == "Opara" && row->row.over == "sequential")
      cases[fmt::format("{} on {}, batch {}", row->row.network, row->row.gpu, row->row.batch)]
          .push_back(row);
  std::vector<FirstCase> result;
  for (const auto& [name, some] : cases) {
    const auto is_opara = [](const SimulatedRow* row) {
      return row->row.schedule.starts_with("opara");
    };
    const auto opara = std::ranges::find_if(some, is_opara);
    if (opara == some.end()) continue;
    FirstCase one{.name = name, .opara = (*opara)->nominal, .best_other = 1, .other = "sequential"};
    bool measured_first = (*opara)->row.published >= 1;
    for (const SimulatedRow* row : some) {
      measured_first = measured_first && (*opara)->row.published >= row->row.published;
      if (is_opara(row) || row->nominal <= one.best_other) continue;
      one.best_other = row->nominal;
      one.other = row->row.schedule;
    }
    if (!measured_first) continue;
    one.is_first = one.best_other <= one.opara * (1 + kSame);
    result.push_back(one);
  }
  return result;
}

std::vector<OutsideCount> outside_counts(const std::vector<bench::OutsideRow>& outside) {
  std::map<std::string, std::size_t> counts;
  for (const bench::OutsideRow& row : outside) counts[row.reason] += row.values.size();
  std::vector<OutsideCount> result;
  for (const auto& [reason, count] : counts) result.push_back({reason, count});
  std::ranges::sort(result, [](const OutsideCount& a, const OutsideCount& b) {
    return a.values != b.values ? a.values > b.values : a.reason < b.reason;
  });
  return result;
}

}  // namespace

Summary summarise(const std::vector<SimulatedRow>& rows,
                  const std::vector<bench::OutsideRow>& outside) {
  Rows simulated;
  for (const SimulatedRow& row : rows)
    if (row.skipped.empty()) simulated.push_back(&row);
  Summary summary;
  summary.skipped = rows.size() - simulated.size();
  if (!simulated.empty()) summary.errors.push_back(errors_of("all", simulated));
  const auto by = [&](const auto& key) { add_groups(summary.errors, simulated, key); };
  by([](const PublishedRow& row) { return "to " + row.used_for; });
  by([](const PublishedRow& row) { return row.paper; });
  by([](const PublishedRow& row) { return row.gpu; });
  by([](const PublishedRow& row) { return std::string(row.is_ratio() ? "ratios" : "times"); });
  by([](const PublishedRow& row) {
    return fmt::format("{}, {}, {}", row.paper, row.gpu, row.is_ratio() ? "ratios" : "times");
  });
  summary.times = widths_of(simulated, false);
  summary.ratios = widths_of(simulated, true);
  summary.first = first_cases(simulated);
  for (const SimulatedRow* row : simulated)
    if (row->row.over == "opara:streams-only") summary.launch_order.push_back(*row);
  summary.outside = outside_counts(outside);
  return summary;
}

}  // namespace braid::gpu_model
