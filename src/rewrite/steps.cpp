#include "rewrite/steps.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"
#include "graph/verify.h"

namespace braid {

RewriteStep step_of(Rule rule) {
  const std::string_view name = rule.name;
  const std::string_view help = rule.help;
  return {name, help, [rule = std::move(rule)](Graph& graph, Allowance& allowance) {
            return apply_everywhere(rule, graph, allowance);
          }};
}

StepReport run_step(const RewriteStep& step, Graph& graph, Allowance& allowance) {
  StepReport report;
  report.name = step.name;
  report.nodes_before = graph.node_count();
  const auto start = std::chrono::steady_clock::now();
  with_note([&] { return fmt::format("in step '{}'", step.name); },
            [&] {
              report.changes = step.run(graph, allowance);
              if (report.changes > 0) verify(graph);
            });
  report.nodes_after = graph.node_count();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<RewriteStep> enabled_steps(std::vector<RewriteStep> steps,
                                       std::span<const std::string> disabled) {
  std::vector<std::string> names;
  for (const RewriteStep& step : steps) names.emplace_back(step.name);
  for (const std::string& name : disabled)
    if (std::ranges::find(steps, name, &RewriteStep::name) == steps.end())
      raise(ErrorKind::Usage, fmt::format("there is no step {}; the steps are: {}{}", quote(name),
                                          fmt::join(names, " "), did_you_mean(name, names)));
  std::erase_if(steps, [&](const RewriteStep& step) {
    return std::ranges::find(disabled, step.name) != disabled.end();
  });
  return steps;
}

}  // namespace braid
