#include "cli/optimise_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/figure_words.h"
#include "cli/table.h"
#include "report/summary.h"

namespace braid::cli {
namespace {

nlohmann::ordered_json json_of(const BeforeAfter& figure) {
  return {{"before", json_number(figure.before)}, {"after", json_number(figure.after)}};
}

/// The end of "stopped: ".
std::string stop_text(const OptimiseReport& report) {
  std::string looked =
      fmt::format("{} candidates in {:.1f} s", grouped(report.candidates), report.seconds);
  switch (report.stopped) {
    case OptimiseStop::Budget:
      return fmt::format("the time was over, after {}; --time-budget allows more", looked);
    case OptimiseStop::Candidates:
      return fmt::format(
          "the number of candidates was reached, after {}; --max-candidates allows "
          "more",
          looked);
    case OptimiseStop::Converged:
      return fmt::format("nothing was left to try, after {}", looked);
    case OptimiseStop::Cancelled:
      return fmt::format("cancelled, after {}; this is the best found until then", looked);
    case OptimiseStop::NoGain:
      return fmt::format("no rule gains anything here, after {}", looked);
  }
  return looked;
}

std::string figure(double x) {
  return x >= 100 ? fmt::format("{:.1f}", x) : fmt::format("{:.3f}", x);
}

std::string ratio_of(const BeforeAfter& pair) {
  return pair.after > 0 ? fmt::format("{:.3f}", pair.before / pair.after) : "";
}

std::string_view time_means(const OptimiseReport& report) {
  if (report.simulated) return "median over perturbed models of the device";
  return report.measured ? "20th percentile of runs that took turns" : "as predicted, not measured";
}

std::string figures_table(const Optimised& result) {
  const OptimiseReport& report = result.report;
  const BeforeAfter operators{
      .before = static_cast<double>(summarise(result.before.graph()).operators),
      .after = static_cast<double>(summarise(result.model->graph).operators)};
  Table table({"", "before", "after", "before ÷ after", "what it means"});
  const auto add = [&](const std::string& what, const BeforeAfter& pair, std::string_view means) {
    table.add({what, figure(pair.before), figure(pair.after), ratio_of(pair), std::string(means)});
  };
  const auto count = [&](const std::string& what, const BeforeAfter& pair) {
    table.add({what, fmt::format("{:.0f}", pair.before), fmt::format("{:.0f}", pair.after),
               ratio_of(pair), ""});
  };
  table.add({report.simulated ? "time, ms (simulated)" : "time, ms", figure(report.time_ms.before),
             figure(report.time_ms.after), fmt::format("{:.3f}", report.ratio),
             std::string(time_means(report))});
  add("predicted, us", report.predicted_us, kPredictedMeans);
  add("critical path, us", report.critical_path_us,
      fmt::format("lower bound: {}", kCriticalPathMeans));
  add("sum of operators, us", report.sum_us, kSumMeans);
  count("operators", operators);
  count("side by side at most", report.width);
  return table.text();
}

std::string rules_table(const std::vector<RuleCount>& rules) {
  if (rules.empty()) return {};
  Table table({"rule", "times"});
  for (const RuleCount& rule : rules) table.add({rule.name, grouped(rule.count)});
  return "\n" + table.text();
}

/// The reason as a sentence that may follow another.
std::string sentence(std::string text) {
  if (text.empty()) return "no rewriting was found to be faster.";
  if (!text.ends_with('.')) text += '.';
  return text;
}

}  // namespace

std::string optimise_json(const OptimiseReport& report) {
  auto rules = nlohmann::ordered_json::array();
  for (const RuleCount& rule : report.rules)
    rules.push_back({{"name", rule.name}, {"count", rule.count}});
  return json_text(
      {{"before_ms", json_number(report.time_ms.before)},
       {"after_ms", json_number(report.time_ms.after)},
       {"ratio", json_number(report.ratio)},
       {"ratio_band", {json_number(report.ratio_band.p10), json_number(report.ratio_band.p90)}},
       {"candidates", report.candidates},
       {"seconds", json_number(report.seconds)},
       {"stop_reason", name(report.stopped)},
       {"rules", std::move(rules)},
       {"predicted_us", json_of(report.predicted_us)},
       {"critical_path_us", json_of(report.critical_path_us)},
       {"sum_us", json_of(report.sum_us)},
       {"width",
        {{"before", static_cast<std::int64_t>(report.width.before)},
         {"after", static_cast<std::int64_t>(report.width.after)}}}});
}

std::string optimise_text(const Optimised& result, const std::string& model,
                          const std::vector<std::string>& notes) {
  const OptimiseReport& report = result.report;
  const bool came_back = result.rounds.empty();
  const std::string_view simulated = report.simulated ? ", simulated" : "";
  std::string text = fmt::format("model    {}\ndevice   {}{}\n", printable(model),
                                 printable(result.after.plan.device), simulated);
  if (came_back)
    text += fmt::format("kept     the input came back: {}\n", sentence(report.reason));
  else
    text += fmt::format(
        "ratio    {:.3f} times as fast (10th to 90th percentile: {:.3f} to {:.3f}{})"
        "\nkept     {}\n",
        report.ratio, report.ratio_band.p10, report.ratio_band.p90, simulated,
        sentence(report.reason));
  for (const std::string& note : notes) text += fmt::format("note     {}\n", note);
  return text + fmt::format("stopped  {}\n\n{}{}", stop_text(report), figures_table(result),
                            rules_table(report.rules));
}

std::string rules_text(const std::vector<RuleCount>& rules) {
  std::string text;
  for (const RuleCount& rule : rules)
    text += fmt::format("{}{} x{}", text.empty() ? "" : ", ", rule.name, rule.count);
  return text;
}

}  // namespace braid::cli
