#include "cli/bench_report.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/kept_report.h"
#include "cli/optimise_modes.h"
#include "cli/table.h"

namespace braid::cli {
namespace {

double mean(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

nlohmann::ordered_json difference_json(const PairDifference& pair) {
  nlohmann::ordered_json out = {{"contender", pair.contender},
                                {"reference", pair.reference},
                                {"output", pair.output},
                                {"verdict", name(agreement(pair))}};
  if (!pair.why_not.empty())
    out["types"] = pair.why_not;
  else
    out.update(comparison_json(*pair.found));
  return out;
}

nlohmann::ordered_json row_json(const BenchRow& row) {
  nlohmann::ordered_json out = {{"model", row.model},
                                {row.peer ? "peer" : "scheduler", row.contender}};
  if (row.peer) out["version"] = row.peer->version;
  if (!row.peer) out["optimise"] = row.optimise;
  if (row.optimise != "none") {
    out["rules"] = nlohmann::ordered_json::object();
    for (const RuleCount& rule : row.rules) out["rules"][rule.name] = rule.count;
  }
  out.update({{"median_ms", percentile(row.times_ms, 50)},
              {"min_ms", percentile(row.times_ms, 0)},
              {"p20_ms", percentile(row.times_ms, kContestPercentile)},
              {"p99_ms", percentile(row.times_ms, 99)},
              {"mean_ms", mean(row.times_ms)},
              {"iterations", row.times_ms.size()}});
  if (!row.peer) {
    out["arena_bytes"] = row.arena_bytes;
    out["streams"] = row.streams;
    add_kept(out, row.kept, row.settlement);
  }
  out["ratio"] = row.ratio.ratio;
  out["ratio_low"] = row.ratio.low;
  out["ratio_high"] = row.ratio.high;
  if (row.nominal_ms) {
    out["nominal_ms"] = *row.nominal_ms;
    out["p10_ms"] = percentile(row.times_ms, 10);
    out["p90_ms"] = percentile(row.times_ms, 90);
  }
  if (row.inferences_per_s) out["inferences_per_s"] = *row.inferences_per_s;
  if (row.verdict) out["verdict"] = name(*row.verdict);
  if (row.peer) out["outputs"] = difference_json(row.peer->outputs);
  return out;
}

void add_peer_findings(nlohmann::ordered_json& out, const BenchSetting& setting) {
  out["differences"] = nlohmann::ordered_json::array();
  for (const ModelDifferences& found : setting.differences)
    for (const PairDifference& pair : found.pairs)
      if (agreement(pair) == Agreement::Differs) {
        out["differences"].push_back({{"model", found.model}});
        out["differences"].back().update(difference_json(pair));
      }
  out["failures"] = nlohmann::ordered_json::array();
  for (const PeerFailure& failure : setting.failures)
    out["failures"].push_back(
        {{"model", failure.model}, {"peer", failure.peer}, {"message", failure.message}});
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

/// With peers in the table, what is Braid says so.
std::string contender_text(const BenchRow& row, const BenchSetting& setting) {
  std::string contender = printable(contender_label(row.contender, row.optimise));
  if (row.peer) return fmt::format("{} {}", contender, printable(row.peer->version, 24));
  if (!setting.against_peers || row.contender == "braid") return contender;
  return fmt::format("braid ({})", contender);
}

std::string outputs_text(const PairDifference& pair) {
  const std::string verdict(name(agreement(pair)));
  return pair.found ? fmt::format("{} {:.1e}", verdict, pair.found->difference.max_rel()) : verdict;
}

std::string simulated_table(const std::vector<BenchRow>& rows) {
  Table table({"model", "scheduler", "nominal ms", "median", "p10", "p90", "streams", "arena MB",
               "first ÷ this"});
  for (const BenchRow& row : rows)
    table.add({printable(row.model), printable(contender_label(row.contender, row.optimise)),
               fmt::format("{:.3f}", row.nominal_ms.value_or(0)), milliseconds(row, 50, 3),
               milliseconds(row, 10, 3), milliseconds(row, 90, 3), fmt::format("{}", row.streams),
               fmt::format("{:.1f}", static_cast<double>(row.arena_bytes) / 1e6), ratio_text(row)});
  return table.text();
}

}  // namespace

std::string bench_json(const std::vector<BenchRow>& rows, const BenchSetting& setting) {
  nlohmann::ordered_json out = {{"device", setting.device},           {"threads", setting.threads},
                                {"concurrency", setting.concurrency}, {"batch", setting.batch},
                                {"simulated", setting.simulated},     {"stopped", setting.stopped}};
  if (setting.seed) out["seed"] = *setting.seed;
  if (std::ranges::any_of(rows, [](const BenchRow& row) { return row.optimise != "none"; }))
    out["optimise_seconds"] = setting.optimise_seconds;
  if (!setting.simulated) out["inexact_ways"] = setting.inexact_ways;
  for (const auto& [model, reference] : setting.reference)
    out["reference"][model] = reference_json(reference);
  out["results"] = nlohmann::ordered_json::array();
  for (const BenchRow& row : rows) out["results"].push_back(row_json(row));
  if (setting.against_peers) add_peer_findings(out, setting);
  return json_text(out);
}

std::string bench_table(const std::vector<BenchRow>& rows, const BenchSetting& setting) {
  if (setting.simulated) return simulated_table(rows);
  std::vector<std::string> header = {"model",   setting.against_peers ? "contender" : "scheduler",
                                     "min ms",  "p20",
                                     "median",  "p99",
                                     "runs",    "streams",
                                     "arena MB"};
  const bool callers = setting.concurrency > 1;
  if (callers) header.emplace_back("inferences/s");
  header.emplace_back("first ÷ this");
  if (setting.against_peers) header.emplace_back("outputs");
  Table table(header);
  for (const BenchRow& row : rows) {
    std::vector<std::string> cells = {printable(row.model),
                                      contender_text(row, setting),
                                      milliseconds(row, 0),
                                      milliseconds(row, kContestPercentile),
                                      milliseconds(row, 50),
                                      milliseconds(row, 99),
                                      fmt::format("{}", row.times_ms.size())};
    cells.push_back(row.peer ? "" : fmt::format("{}", row.streams));
    cells.push_back(row.peer ? ""
                             : fmt::format("{:.1f}", static_cast<double>(row.arena_bytes) / 1e6));
    if (callers) cells.push_back(fmt::format("{:.1f}", row.inferences_per_s.value_or(0)));
    cells.push_back(ratio_text(row));
    if (row.peer) cells.push_back(outputs_text(row.peer->outputs));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string kept_table(const std::vector<BenchRow>& rows) {
  Table table({"model", "scheduler", "kept"});
  for (const BenchRow& row : rows)
    if (!row.kept.empty())
      table.add({printable(row.model), printable(contender_label(row.contender, row.optimise)),
                 row.kept});
  return std::ranges::all_of(rows, [](const BenchRow& row) { return row.kept.empty(); })
             ? ""
             : "\n" + table.text();
}

std::string peer_verdicts(const std::vector<BenchRow>& rows) {
  std::string text;
  for (const BenchRow& row : rows) {
    if (!row.peer) continue;
    const BenchRow& first = *std::ranges::find(rows, row.model, &BenchRow::model);
    const std::string of = contender_label(first.contender, first.optimise);
    text += fmt::format("{}: Braid{} is {:.2f} times as fast as {} [{:.2f}, {:.2f}]{}\n",
                        printable(row.model), of == "braid" ? "" : fmt::format(" ({})", of),
                        1 / row.ratio.ratio, row.contender, 1 / row.ratio.high, 1 / row.ratio.low,
                        row.verdict == Verdict::Tie ? ": a tie, as far as this can tell" : "");
  }
  return text;
}

}  // namespace braid::cli
