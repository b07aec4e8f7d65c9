#include "cli/bench_report.h"

#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/table.h"

namespace braid::cli {
namespace {

double mean(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

nlohmann::ordered_json row_json(const BenchRow& row) {
  nlohmann::ordered_json out = {{"model", row.model},
                                {"scheduler", row.scheduler},
                                {"median_ms", percentile(row.times_ms, 50)},
                                {"min_ms", percentile(row.times_ms, 0)},
                                {"p20_ms", percentile(row.times_ms, kContestPercentile)},
                                {"p99_ms", percentile(row.times_ms, 99)},
                                {"mean_ms", mean(row.times_ms)},
                                {"iterations", row.times_ms.size()},
                                {"arena_bytes", row.arena_bytes},
                                {"streams", row.streams},
                                {"ratio", row.ratio.ratio},
                                {"ratio_low", row.ratio.low},
                                {"ratio_high", row.ratio.high}};
  if (row.nominal_ms) {
    out["nominal_ms"] = *row.nominal_ms;
    out["p10_ms"] = percentile(row.times_ms, 10);
    out["p90_ms"] = percentile(row.times_ms, 90);
  }
  if (row.inferences_per_s) out["inferences_per_s"] = *row.inferences_per_s;
  if (row.verdict) out["verdict"] = name(*row.verdict);
  return out;
}

std::string milliseconds(const BenchRow& row, double p, int digits = 2) {
  return fmt::format("{:.{}f}", percentile(row.times_ms, p), digits);
}

std::string ratio_text(const BenchRow& row) {
  std::string text =
      fmt::format("{:.3f} [{:.3f}, {:.3f}]", row.ratio.ratio, row.ratio.low, row.ratio.high);
  if (row.verdict) text += fmt::format(" {}", name(*row.verdict));
  return text;
}

std::string simulated_table(const std::vector<BenchRow>& rows) {
  Table table({"model", "scheduler", "nominal ms", "median", "p10", "p90", "streams", "arena MB",
               "first ÷ this"});
  for (const BenchRow& row : rows)
    table.add({printable(row.model), printable(row.scheduler),
               fmt::format("{:.3f}", row.nominal_ms.value_or(0)), milliseconds(row, 50, 3),
               milliseconds(row, 10, 3), milliseconds(row, 90, 3), fmt::format("{}", row.streams),
               fmt::format("{:.1f}", static_cast<double>(row.arena_bytes) / 1e6), ratio_text(row)});
  return table.text();
}

}  // namespace

std::string bench_json(const std::vector<BenchRow>& rows, const BenchSetting& setting) {
  nlohmann::ordered_json out = {{"device", setting.device},
                                {"threads", setting.threads},
                                {"concurrency", setting.concurrency},
                                {"batch", setting.batch},
                                {"seed", setting.seed},
                                {"simulated", setting.simulated},
                                {"stopped", setting.stopped}};
  out["results"] = nlohmann::ordered_json::array();
  for (const BenchRow& row : rows) out["results"].push_back(row_json(row));
  return json_text(out);
}

std::string bench_table(const std::vector<BenchRow>& rows, const BenchSetting& setting) {
  if (setting.simulated) return simulated_table(rows);
  std::vector<std::string> header = {"model", "scheduler", "min ms",  "p20",     "median",
                                     "p99",   "runs",      "streams", "arena MB"};
  const bool callers = setting.concurrency > 1;
  if (callers) header.emplace_back("inferences/s");
  header.emplace_back("first ÷ this");
  Table table(header);
  for (const BenchRow& row : rows) {
    std::vector<std::string> cells = {
        printable(row.model),
        printable(row.scheduler),
        milliseconds(row, 0),
        milliseconds(row, kContestPercentile),
        milliseconds(row, 50),
        milliseconds(row, 99),
        fmt::format("{}", row.times_ms.size()),
        fmt::format("{}", row.streams),
        fmt::format("{:.1f}", static_cast<double>(row.arena_bytes) / 1e6)};
    if (callers) cells.push_back(fmt::format("{:.1f}", row.inferences_per_s.value_or(0)));
    cells.push_back(ratio_text(row));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace braid::cli
