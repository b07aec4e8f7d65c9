#include "cli/bench_report.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/percentiles.h"
#include "base/text.h"
#include "cli/kept_report.h"
#include "cli/optimise_modes.h"
#include "cli/table.h"

namespace braid::cli {
namespace {

double mean(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

constexpr std::array kTold = {50.0, 90.0, 95.0, 99.0, 99.9};  ///< percentiles of measured times

/// "p99_9_ms".
std::string json_name(double p) {
  std::string name = fmt::format("p{}_ms", p);
  std::ranges::replace(name, '.', '_');
  return name;
}

/// Of any samples there is a median.
bool is_resolved(const BenchRow& row, double p) {
  return p <= 50 || resolved_percentile(row.times_ms, p).has_value();
}

/// Null if there are too few samples to tell.
nlohmann::ordered_json resolved_json(const BenchRow& row, double p) {
  return is_resolved(row, p) ? nlohmann::ordered_json(percentile(row.times_ms, p))
                             : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json load_json(const LoadTotals& load) {
  return {{"offered_per_s", load.offered_per_s()},
          {"served_per_s", load.served_per_s()},
          {"overloaded", load.overloaded()},
          {"most_waiting", load.most_waiting},
          {"given_up", load.given_up}};
}

/// A number, or a list if the bench goes through several.
template <class Number>
nlohmann::ordered_json one_or_all(const std::vector<Number>& numbers) {
  return numbers.size() == 1 ? nlohmann::ordered_json(numbers[0]) : nlohmann::ordered_json(numbers);
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
  out.update({{"threads", row.threads}, {"concurrency", row.callers}});
  out.update({{"median_ms", percentile(row.times_ms, 50)},
              {"min_ms", percentile(row.times_ms, 0)},
              {"p20_ms", percentile(row.times_ms, kContestPercentile)}});
  if (!row.nominal_ms)
    for (const double p : kTold)
      if (p != 50) out[json_name(p)] = resolved_json(row, p);
  out.update({{"mean_ms", mean(row.times_ms)}, {"iterations", row.times_ms.size()}});
  if (!row.peer) {
    out["arena_bytes"] = row.arena_bytes;
    out["streams"] = row.streams;
    add_kept(out, row.kept, row.settlement);
    if (row.streams_limit > 0) out["streams_limit"] = row.streams_limit;
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
  if (row.load) {
    out["rate"] = row.rate_per_s;
    out.update(load_json(*row.load));
  }
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

/// A column of what was measured.
struct Column {
  std::string title;
  std::function<std::string(const BenchRow&)> cell;
};

Column percentile_column(double p) {
  return {p == 50 ? "median" : fmt::format("p{}", p),
          [p](const BenchRow& row) { return is_resolved(row, p) ? milliseconds(row, p) : "-"; }};
}

std::string streams_text(const BenchRow& row) {
  if (row.peer) return "";
  return row.streams_limit > row.streams ? fmt::format("{} of {}", row.streams, row.streams_limit)
                                         : fmt::format("{}", row.streams);
}

std::string arena_text(const BenchRow& row) {
  return row.peer ? "" : fmt::format("{:.1f}", static_cast<double>(row.arena_bytes) / 1e6);
}

std::string outputs_text(const BenchRow& row) {
  if (!row.peer) return "";
  const PairDifference& pair = row.peer->outputs;
  const std::string verdict(name(agreement(pair)));
  return pair.found ? fmt::format("{} {:.1e}", verdict, pair.found->difference.max_rel()) : verdict;
}

/// What tells the rows of a sweep apart, and how much was asked of them.
void add_load_columns(const BenchSetting& setting, std::vector<Column>& columns) {
  if (setting.threads.size() > 1)
    columns.push_back({"threads", [](const BenchRow& row) { return std::to_string(row.threads); }});
  if (setting.concurrency.size() > 1 || !setting.rates.empty())
    columns.push_back({"callers", [](const BenchRow& row) { return std::to_string(row.callers); }});
  if (setting.rates.empty()) return;
  columns.push_back({"offered/s", [](const BenchRow& row) {
                       return fmt::format("{:.1f}", row.load->offered_per_s());
                     }});
  columns.push_back({"served/s", [](const BenchRow& row) {
                       return fmt::format("{:.1f}{}", row.load->served_per_s(),
                                          row.load->overloaded() ? " overloaded" : "");
                     }});
}

std::vector<Column> columns_of(const BenchSetting& setting) {
  std::vector<Column> columns = {
      {"model", [](const BenchRow& row) { return printable(row.model); }},
      {setting.against_peers ? "contender" : "scheduler",
       [&](const BenchRow& row) { return contender_text(row, setting); }}};
  add_load_columns(setting, columns);
  columns.push_back({"min ms", [](const BenchRow& row) { return milliseconds(row, 0); }});
  columns.push_back(percentile_column(kContestPercentile));
  for (const double p : kTold) columns.push_back(percentile_column(p));
  columns.push_back(
      {"runs", [](const BenchRow& row) { return fmt::format("{}", row.times_ms.size()); }});
  columns.push_back({"streams", streams_text});
  columns.push_back({"arena MB", arena_text});
  if (setting.long_turns && setting.rates.empty())
    columns.push_back({"inferences/s", [](const BenchRow& row) {
                         return fmt::format("{:.1f}", row.inferences_per_s.value_or(0));
                       }});
  columns.push_back({"first ÷ this", ratio_text});
  if (setting.against_peers) columns.push_back({"outputs", outputs_text});
  return columns;
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
  nlohmann::ordered_json out = {{"device", setting.device},
                                {"threads", one_or_all(setting.threads)},
                                {"concurrency", one_or_all(setting.concurrency)},
                                {"batch", setting.batch},
                                {"simulated", setting.simulated},
                                {"stopped", setting.stopped}};
  if (setting.seed) out["seed"] = *setting.seed;
  if (std::ranges::any_of(rows, [](const BenchRow& row) { return row.optimise != "none"; }))
    out["optimise_seconds"] = setting.optimise_seconds;
  if (!setting.simulated) out["inexact_ways"] = setting.inexact_ways;
  if (!setting.rates.empty()) {
    out["rate"] = one_or_all(setting.rates);
    out["arrival_seed"] = setting.arrival_seed;
  }
  for (const auto& [model, reference] : setting.reference)
    out["reference"][model] = reference_json(reference);
  out["results"] = nlohmann::ordered_json::array();
  for (const BenchRow& row : rows) out["results"].push_back(row_json(row));
  if (setting.against_peers) add_peer_findings(out, setting);
  return json_text(out);
}

std::string bench_table(const std::vector<BenchRow>& rows, const BenchSetting& setting) {
  if (setting.simulated) return simulated_table(rows);
  const std::vector<Column> columns = columns_of(setting);
  std::vector<std::string> header;
  for (const Column& column : columns) header.push_back(column.title);
  Table table(header);
  for (const BenchRow& row : rows) {
    std::vector<std::string> cells;
    for (const Column& column : columns) cells.push_back(column.cell(row));
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

std::string overload_sentences(const std::vector<BenchRow>& rows) {
  std::string text;
  for (const BenchRow& row : rows)
    if (row.load && row.load->overloaded())
      text += fmt::format(
          "{} under {}, {}, {}: offered {:.0f}/s, served {:.0f}/s: overloaded; up "
          "to {} waited{}, and the longer the load lasts, the longer they wait\n",
          printable(row.model), printable(contender_label(row.contender, row.optimise)),
          counted(row.threads, "thread"), counted(row.callers, "caller"), row.load->offered_per_s(),
          row.load->served_per_s(), row.load->most_waiting,
          row.load->given_up > 0 ? fmt::format(", {} were given up", row.load->given_up) : "");
  return text;
}

std::string unresolved_sentence(const std::vector<BenchRow>& rows) {
  std::string needs;
  for (const double p : kTold)
    if (std::ranges::any_of(rows, [&](const BenchRow& row) { return !is_resolved(row, p); }))
      needs += fmt::format("{}p{} takes {}", needs.empty() ? "" : ", ", p,
                           grouped(static_cast<long long>(samples_to_resolve(p))));
  return needs.empty() ? "" : fmt::format("-: too few runs to tell: {}\n", needs);
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
