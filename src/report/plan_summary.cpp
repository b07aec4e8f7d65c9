#include "report/plan_summary.h"

#include <fmt/format.h>

#include "report/node_label.h"

namespace braid {
namespace {

std::string part_text(const Step& step) {
  return step.parts > 1 ? fmt::format(" part {} of {}", step.part + 1, step.parts) : "";
}

std::string step_line(const Graph& graph, const Plan& plan, const Step& step, std::size_t index,
                      const CostModel& costs) {
  const Node& node = graph.node(step.node);
  std::string line = fmt::format(
      "  {:4}  {:10.1f} us  {} {} <{}>{}", index, costs.cost(graph, step.node, step.parts).time_us,
      node.op, label(graph, step.node), node.lowering.implementation, part_text(step));
  for (std::size_t i = 0; i < step.waits.size(); ++i) {
    const Step& other = step_at(plan, step.waits[i]);
    line += fmt::format("{}{}{} on stream {}", i == 0 ? "  after " : ", ", label(graph, other.node),
                        part_text(other), step.waits[i].stream.at());
  }
  return line + "\n";
}

}  // namespace

PlanSummary summarise(const Graph& lowered, const Plan& plan, const CostModel& costs) {
  PlanSummary summary;
  for (const auto& stream : plan.streams) {
    StreamSummary& row = summary.streams.emplace_back();
    for (const Step& step : stream) {
      row.steps += 1;
      row.parts += step.parts > 1 ? 1 : 0;
      row.waits += static_cast<std::int64_t>(step.waits.size());
      row.busy_us += costs.cost(lowered, step.node, step.parts).time_us;
      summary.cut_nodes += step.parts > 1 && step.part == 0 ? 1 : 0;
    }
    summary.total.steps += row.steps;
    summary.total.parts += row.parts;
    summary.total.waits += row.waits;
    summary.total.busy_us += row.busy_us;
  }
  return summary;
}

std::string list_steps(const Graph& lowered, const Plan& plan, const CostModel& costs) {
  std::string text;
  for (std::size_t stream = 0; stream < plan.streams.size(); ++stream) {
    text += fmt::format("stream {}\n", stream);
    for (std::size_t i = 0; i < plan.streams[stream].size(); ++i)
      text += step_line(lowered, plan, plan.streams[stream][i], i, costs);
  }
  return text;
}

}  // namespace braid
