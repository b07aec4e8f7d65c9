#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite/rule.h"

namespace braid {

/// Something that goes over a graph and changes it, under a name by which it is reported and can be
/// left out: a Rule, or a pass that cannot be written as a rule.
struct RewriteStep {
  std::string_view name;
  std::string_view help;
  std::function<std::int64_t(Graph&, Allowance&)> run;  ///< returns the number of changes
};

RewriteStep step_of(Rule rule);

/// One run of a step.
struct StepReport {
  std::string name;
  std::int64_t changes = 0;
  std::size_t nodes_before = 0;
  std::size_t nodes_after = 0;
  double seconds = 0;
};

/// Runs the step once and verifies the graph if it changed. Errors say in which step they arose.
StepReport run_step(const RewriteStep& step, Graph& graph, Allowance& allowance);

/// The steps without those that are disabled. Throws Usage, listing the names, if one of the
/// disabled is none of these.
std::vector<RewriteStep> enabled_steps(std::vector<RewriteStep> steps,
                                       std::span<const std::string> disabled);

}  // namespace braid
