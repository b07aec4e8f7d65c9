#include "cli/rewrite_outlook_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/table.h"

namespace braid::cli {
namespace {

std::string_view words(HoldingBound bound) {
  constexpr std::array<std::string_view, kHoldingBounds> texts = {
      "critical path", "work over capacity", "memory bandwidth"};
  return texts[static_cast<std::size_t>(bound)];
}

std::string held_by_text(const RewriteOutlook& outlook) {
  return fmt::format("the greatest lower bound, {}, is {:.0f} % of the predicted time\n",
                     words(outlook.held_by), 100 * outlook.share);
}

std::string change_text(double before, double after) {
  return fmt::format("{:.1f} ({:+.1f} %)", after, before > 0 ? 100 * (after / before - 1) : 0);
}

std::string rule_text(const RulePossibility& rule) {
  return rule.parameters.empty()
             ? rule.rule
             : fmt::format("{} ({})", rule.rule, fmt::join(rule.parameters, ", "));
}

std::string moved_text(const RulePossibility& rule) {
  std::vector<std::string_view> names;
  for (const HoldingBound bound : rule.moved) names.push_back(words(bound));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

nlohmann::ordered_json figures_json(const GraphOutlook& figures) {
  nlohmann::ordered_json bounds = nlohmann::ordered_json::object();
  for (const auto& [key, bound] : {std::pair("critical_path", HoldingBound::CriticalPath),
                                   {"work", HoldingBound::Work},
                                   {"bandwidth", HoldingBound::Bandwidth}})
    bounds[key] = figures.of(bound);
  return {{"bounds_us", bounds}, {"sum_us", figures.sum_us}, {"operators", figures.operators}};
}

}  // namespace

std::string outlook_text(const RewriteOutlook& outlook) {
  std::string text = "what rewriting could give\n" + held_by_text(outlook);
  const GraphOutlook& now = outlook.now;
  const double path_us = now.of(HoldingBound::CriticalPath);
  Table table({"rule", "sites", "critical path us", "sum us", "operators", "bounds it moves"});
  table.add({"(as it is)", "", fmt::format("{:.1f}", path_us), fmt::format("{:.1f}", now.sum_us),
             fmt::format("{}", now.operators), ""});
  for (const RulePossibility& rule : outlook.rules)
    table.add({rule_text(rule), fmt::format("{}", rule.sites),
               change_text(path_us, rule.after.of(HoldingBound::CriticalPath)),
               change_text(now.sum_us, rule.after.sum_us),
               fmt::format("{} ({:+})", rule.after.operators, rule.after.operators - now.operators),
               moved_text(rule)});
  if (outlook.rules.empty())
    text += fmt::format(
        "no rule shortens critical path and sum by itself; {} groups of sites were "
        "tried\n",
        outlook.tried);
  else
    text += table.text() +
            "each rule alone, by costs only; `braid optimize` combines them and asks the device\n";
  if (outlook.left_out > 0)
    text += fmt::format("{} narrower groups of sites were left out\n", outlook.left_out);
  return text;
}

nlohmann::ordered_json outlook_json(const RewriteOutlook& outlook) {
  nlohmann::ordered_json out = {{"held_by", name(outlook.held_by)}, {"share", outlook.share}};
  out.update(figures_json(outlook.now));
  out["tried"] = outlook.tried;
  out["left_out"] = outlook.left_out;
  out["rules"] = nlohmann::ordered_json::array();
  for (const RulePossibility& rule : outlook.rules) {
    nlohmann::ordered_json row = {
        {"rule", rule.rule}, {"parameters", rule.parameters}, {"sites", rule.sites}};
    row.update(figures_json(rule.after));
    row["moves"] = nlohmann::ordered_json::array();
    for (const HoldingBound bound : rule.moved) row["moves"].push_back(name(bound));
    out["rules"].push_back(std::move(row));
  }
  return out;
}

}  // namespace braid::cli
