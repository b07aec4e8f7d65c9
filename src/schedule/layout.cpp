#include "schedule/layout.h"

#include "base/error.h"
#include "graph/hash.h"
#include "plan/accesses.h"
#include "plan/happens_before.h"
#include "plan/memory.h"
#include "schedule/part_costs.h"

namespace braid {
namespace {

Step step_of(const Graph& graph, NodeId node, const Piece& piece) {
  Step step;
  step.node = node;
  step.launch = piece.launch;
  if (piece.parts == 1) return step;
  const auto cut = cut_into(graph, node, piece.parts);
  require(cut.has_value(), "a scheduler cuts only what may be cut");
  step.part = piece.part;
  step.parts = piece.parts;
  step.cut = *cut;
  return step;
}

std::vector<Step> steps_of(const Graph& graph, const TaskGraph& tasks,
                           const std::vector<Piece>& pieces) {
  std::vector<Step> steps;
  for (const Piece& piece : pieces) {
    const auto task = static_cast<std::size_t>(piece.task);
    steps.push_back(step_of(graph, tasks.nodes[task], piece));
    if (piece.part > 0) continue;
    for (NodeId view : tasks.views[task])
      steps.push_back(step_of(graph, view, {0, 0, 1, piece.launch}));
  }
  return steps;
}

void add_waits(const Graph& graph, Plan& plan) {
  const Accesses accesses(graph, plan);
  for (std::size_t s = 0; s < plan.streams.size(); ++s)
    for (Step& step : plan.streams[s]) {
      const Node& node = graph.node(step.node);
      if (is_view(node)) continue;
      Frontier waits;
      for (ValueId input : node.inputs)
        if (input.valid()) extend(waits, accesses.writers(input));
      for (StepRef wait : waits)
        if (wait.stream.at() != s) step.waits.push_back(wait);
    }
}

}  // namespace

Plan assemble(const Graph& graph, const DeviceSpec& device, std::string_view scheduler,
              const TaskGraph& tasks, const Layout& layout) {
  Plan plan;
  plan.graph = hash(graph, HashWeights::TypesOnly);
  plan.device = device.name;
  plan.scheduler = scheduler;
  for (const auto& pieces : layout)
    if (!pieces.empty()) plan.streams.push_back(steps_of(graph, tasks, pieces));
  if (plan.streams.empty()) plan.streams.emplace_back();
  add_waits(graph, plan);
  reduce_waits(graph, plan);
  place(graph, plan);
  return plan;
}

}  // namespace braid
