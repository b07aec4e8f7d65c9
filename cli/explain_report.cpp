#include "cli/explain_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/bounds_json.h"
#include "cli/figure_words.h"
#include "cli/kept_report.h"
#include "cli/prediction_report.h"
#include "cli/rewrite_outlook_report.h"
#include "cli/table.h"

namespace braid::cli {
namespace {

using nlohmann::ordered_json;

std::string ms(double us) { return fmt::format("{:.3f}", us / 1e3); }
std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.0f} %", 100 * part / whole) : "";
}

std::string bounds_text(const Explanation& found) {
  Table table({"lower bound", "ms", "of predicted", "what it means"});
  const auto row = [&](const char* label, double us, std::string_view meaning) {
    table.add({label, ms(us), percent(us, found.predicted_us), std::string(meaning)});
  };
  row("critical path", found.bounds.critical_path_us, kCriticalPathMeans);
  row("work over capacity", found.bounds.work_us, kWorkMeans);
  row("memory bandwidth", found.bounds.bandwidth_us, kBandwidthMeans);
  return table.text() +
         fmt::format(
             "another Plan saves at most {} ms ({} of the predicted time): what is left beside "
             "the greatest of these{}\n",
             ms(found.headroom_us), percent(found.headroom_us, found.predicted_us),
             found.start_us > 0 ? fmt::format(" and the {} ms before the first operator begins",
                                              ms(found.start_us))
                                : "");
}

/// The path in order: the longest of its operators by name, what lies between them in one row.
std::string path_text(const Graph& graph, const Explanation& found, std::size_t rows) {
  std::vector<std::size_t> longest(found.bounds.critical_path.size());
  for (std::size_t i = 0; i < longest.size(); ++i) longest[i] = i;
  const auto time = [&](std::size_t i) { return found.bounds.critical_path[i].time_us; };
  std::sort(longest.begin(), longest.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(-time(a), a) < std::pair(-time(b), b);
  });
  longest.resize(std::min(longest.size(), rows));
  std::sort(longest.begin(), longest.end());
  Table table({"operator", "us", "of path"});
  const auto add = [&](const std::string& label, double us) {
    table.add({label, fmt::format("{:.1f}", us), percent(us, found.bounds.critical_path_us)});
  };
  const auto add_between = [&](std::size_t begin, std::size_t end) {
    double us = 0;
    for (std::size_t i = begin; i < end; ++i) us += time(i);
    if (begin < end) add(fmt::format("… {} more", end - begin), us);
  };
  std::size_t next = 0;
  for (std::size_t i : longest) {
    add_between(next, i);
    add(describe(graph, found.bounds.critical_path[i].node), time(i));
    next = i + 1;
  }
  add_between(next, found.bounds.critical_path.size());
  return fmt::format("critical path: {} operators, each needs the one before\n{}",
                     found.bounds.critical_path.size(), table.text());
}

std::string_view meaning(Reason reason) {
  constexpr std::array<std::string_view, kReasons> texts = {
      "they do run side by side",
      "one needs what the other makes",
      "an edit keeps them apart",
      "one waits for bytes of the other, to save memory",
      "the scheduler's stages keep them apart",
      "one is over before the inputs of the other are there",
      "the memory's bandwidth is used up",
      "the device's arithmetic is used up",
      "the GPU has no room: blocks",
      "the GPU has no room: threads",
      "the GPU has no room: registers",
      "the GPU has no room: shared memory",
      "the Plan is as fast as the greatest lower bound allows",
      "a synchronisation would cost more than it gains",
      "all other streams had work meanwhile",
      "nothing but the scheduler's choice"};
  return texts[static_cast<std::size_t>(reason)];
}

std::string survey_text(const Pairs::Survey& survey) {
  Table table({"pairs", "reason", "what it means"});
  for (std::size_t i = 0; i < kReasons; ++i)
    if (survey.counts[i] > 0)
      table.add({grouped(static_cast<long long>(survey.counts[i])),
                 std::string(name(static_cast<Reason>(i))),
                 std::string(meaning(static_cast<Reason>(i)))});
  return fmt::format("why not side by side: pairs of the {} operators that take longest\n{}",
                     survey.operators, table.text());
}

std::string source_text(const sim::Interference& found) {
  return found.stated ? printable(found.source) : "from the " + found.source;
}

std::string side_by_side_text(const sim::Interference& found) {
  return fmt::format("{} takes {:.2f} times as long, {} {:.2f} ({})", name(found.classes[0]),
                     found.slowdowns[0], name(found.classes[1]), found.slowdowns[1],
                     source_text(found));
}

std::string interference_text(const std::vector<sim::Interference>& rows) {
  Table table({"first", "second", "first takes", "second takes", "source"});
  for (const sim::Interference& row : rows)
    table.add({std::string(name(row.classes[0])), std::string(name(row.classes[1])),
               fmt::format("{:.2f}", row.slowdowns[0]), fmt::format("{:.2f}", row.slowdowns[1]),
               source_text(row)});
  return "interference: how many times as long as alone each of two kernels takes beside the "
         "other, both filling half of the GPU\n" +
         table.text();
}

std::string overlapping_text(const Graph& graph, const std::vector<Pair>& pairs) {
  Table table({"first", "second", "us together", "side by side"});
  for (const Pair& pair : pairs)
    table.add({describe(graph, pair.a), describe(graph, pair.b),
               fmt::format("{:.1f}", pair.overlap_us),
               pair.side_by_side ? side_by_side_text(*pair.side_by_side) : ""});
  return "pairs that run side by side for longest\n" + table.text();
}

ordered_json interference_json(const sim::Interference& found) {
  return {{"first", name(found.classes[0])},
          {"second", name(found.classes[1])},
          {"slowdown_first", found.slowdowns[0]},
          {"slowdown_second", found.slowdowns[1]},
          {"source", found.source}};
}

std::string pairs_text(const Graph& graph, const Explanation& found) {
  const bool on_gpu = std::ranges::any_of(
      found.pairs, [](const Pair& pair) { return pair.side_by_side.has_value(); });
  std::vector<std::string> head = {"first", "second", "might save us", "reason"};
  if (on_gpu) head.emplace_back("side by side");
  head.emplace_back("why");
  Table table(head);
  for (const Pair& pair : found.pairs) {
    std::vector<std::string> row = {describe(graph, pair.a), describe(graph, pair.b),
                                    fmt::format("{:.1f}", pair.gain_us),
                                    std::string(name(pair.reason))};
    if (on_gpu) row.push_back(pair.side_by_side ? side_by_side_text(*pair.side_by_side) : "");
    row.push_back(pair.text);
    table.add(std::move(row));
  }
  std::string text = table.text();
  for (const Pair& pair : found.pairs) {
    if (pair.path.size() < 3) continue;
    text += "\nthe shortest path:\n";
    for (NodeId node : pair.path) text += "  " + describe(graph, node) + "\n";
  }
  return text;
}

ordered_json node_json(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::string output;
  for (ValueId value : node.outputs)
    if (value.valid() && output.empty()) output = graph.value(value).name;
  return {{"node", node.name.empty() ? output : node.name}, {"op", node.op}, {"output", output}};
}

ordered_json pair_json(const Graph& graph, const Pair& pair) {
  ordered_json json = {{"first", node_json(graph, pair.a)}, {"second", node_json(graph, pair.b)},
                       {"reason", name(pair.reason)},       {"overlap_us", pair.overlap_us},
                       {"might_save_us", pair.gain_us},     {"text", pair.text}};
  if (pair.side_by_side) json["side_by_side"] = interference_json(*pair.side_by_side);
  if (!pair.path.empty()) {
    json["path"] = ordered_json::array();
    for (NodeId node : pair.path) json["path"].push_back(node_json(graph, node));
  }
  return json;
}

}  // namespace

std::string ExplainReport::text() const {
  const Graph& graph = prepared.lowered();
  std::string text;
  text += fmt::format("device     {}, {} streams\n", printable(prepared.plan.device),
                      prepared.plan.streams.size());
  text += fmt::format("scheduler  {}\n", printable(prepared.plan.scheduler));
  text +=
      fmt::format("arena      {:.1f} MB\n", static_cast<double>(prepared.plan.arena_bytes) / 1e6);
  if (!prepared.reason.empty()) text += fmt::format("kept       {}\n", prepared.reason);
  text += fmt::format("predicted  {}\n", prediction_text(prepared, prediction));
  text += fmt::format("streams    {:.2f} steps at a time on average; {} waits between streams\n\n",
                      found.parallelism, found.waits);
  text += bounds_text(found) + "\n" + path_text(graph, found, rows);
  if (found.survey.operators > 1) text += "\n" + survey_text(found.survey);
  if (!found.pairs.empty())
    text += fmt::format("\n{}\n{}",
                        found.survey.operators > 0
                            ? fmt::format("pairs that might gain most, each alone; all together "
                                          "at most {:.1f} us",
                                          found.headroom_us)
                            : "pairs",
                        pairs_text(graph, found));
  if (!found.overlapping.empty()) text += "\n" + overlapping_text(graph, found.overlapping);
  if (!found.interference.empty()) text += "\n" + interference_text(found.interference);
  if (outlook != nullptr) text += "\n" + outlook_text(*outlook);
  text += "\nwhat would help\n";
  for (const std::string& sentence : found.advice) text += "  - " + sentence + "\n";
  return text;
}

std::string ExplainReport::json() const {
  const Graph& graph = prepared.lowered();
  ordered_json out = {{"model", model},
                      {"device", prepared.plan.device},
                      {"scheduler", prepared.plan.scheduler},
                      {"simulated", prediction.simulated.has_value()},
                      {"streams", prepared.plan.streams.size()},
                      {"waits", found.waits},
                      {"arena_bytes", prepared.plan.arena_bytes}};
  add_kept(out, prepared.reason, prepared.settlement);
  add_prediction(out, prepared, prediction);
  out["start_us"] = found.start_us;
  out["bounds_us"] = bounds_json(found.bounds);
  out["headroom_us"] = found.headroom_us;
  out["parallelism"] = found.parallelism;
  out["critical_path"] = ordered_json::array();
  for (const PathRow& row : found.bounds.critical_path) {
    ordered_json node = node_json(graph, row.node);
    node["time_us"] = row.time_us;
    out["critical_path"].push_back(std::move(node));
  }
  if (found.survey.operators > 0) {
    ordered_json reasons = ordered_json::object();
    for (std::size_t i = 0; i < kReasons; ++i)
      reasons[std::string(name(static_cast<Reason>(i)))] = found.survey.counts[i];
    out["survey"] = {{"operators", found.survey.operators}, {"pairs", reasons}};
  }
  out["pairs"] = ordered_json::array();
  for (const Pair& pair : found.pairs) out["pairs"].push_back(pair_json(graph, pair));
  if (!found.overlapping.empty()) {
    out["overlapping"] = ordered_json::array();
    for (const Pair& pair : found.overlapping) out["overlapping"].push_back(pair_json(graph, pair));
  }
  if (!found.interference.empty()) {
    out["interference"] = ordered_json::array();
    for (const sim::Interference& row : found.interference)
      out["interference"].push_back(interference_json(row));
  }
  if (outlook != nullptr) out["rewriting"] = outlook_json(*outlook);
  out["advice"] = found.advice;
  return json_text(out);
}

std::string pareto_text(const std::vector<TradeOff>& rows) {
  const bool simulated = !rows.empty() && rows[0].prediction.simulated;
  std::vector<std::string> head = {"arena MB", simulated ? "nominal ms" : "predicted ms"};
  if (simulated) head.emplace_back("median ms");
  for (const char* column : {"streams", "waits", "scheduler", "memory"}) head.emplace_back(column);
  Table table(head);
  for (const TradeOff& row : rows) {
    constexpr std::array<const char*, 3> hows = {"as planned", "waits added to share bytes",
                                                 "steps put off until bytes are free"};
    std::size_t waits = 0;
    for (const auto& stream : row.plan.streams)
      for (const Step& step : stream) waits += step.waits.size();
    std::vector<std::string> cells = {
        fmt::format("{:.3f}", static_cast<double>(row.plan.arena_bytes) / 1e6),
        ms(row.prediction.timeline.end_us)};
    if (simulated) cells.push_back(ms(row.prediction.simulated->band_us().median));
    for (std::string cell :
         {fmt::format("{}", row.plan.streams.size()), fmt::format("{}", waits),
          printable(row.plan.scheduler), std::string(hows[static_cast<std::size_t>(row.thrift)])})
      cells.push_back(std::move(cell));
    table.add(std::move(cells));
  }
  return fmt::format(
      "memory against time{}: of all Plans that were tried, those than which none is both smaller "
      "and faster\n{}--mem-budget SIZE takes the fastest that fits\n",
      simulated ? " (simulated; medians of the draws that `bench` reports)" : "", table.text());
}

std::string pareto_json(const std::string& model, const Planned& planned,
                        const std::vector<TradeOff>& rows, bool simulated) {
  ordered_json out = {{"model", model}, {"device", planned.plan.device}, {"simulated", simulated}};
  out["pareto"] = ordered_json::array();
  for (const TradeOff& row : rows) {
    ordered_json line = {{"arena_bytes", row.plan.arena_bytes}};
    add_prediction(line, planned, row.prediction);
    line["streams"] = row.plan.streams.size();
    line["scheduler"] = row.plan.scheduler;
    line["thrift"] = name(row.thrift);
    out["pareto"].push_back(std::move(line));
  }
  return json_text(out);
}

}  // namespace braid::cli
