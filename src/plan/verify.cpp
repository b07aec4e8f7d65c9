#include "plan/verify.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/hash.h"
#include "plan/accesses.h"
#include "plan/happens_before.h"
#include "plan/tenancy.h"
#include "plan/verify_placements.h"

namespace braid {
namespace {

bool allowed(const Node& node, const Cut& cut) {
  return std::any_of(node.lowering.cuts.begin(), node.lowering.cuts.end(), [&](const Cut& offered) {
    return cut.axis == offered.axis && cut.grain > 0 && offered.grain > 0 &&
           cut.grain % offered.grain == 0;
  });
}

/// Checks a cut. All outputs are cut alike, so all must be as long along the axis as the first.
void check_cut(const Graph& graph, const Node& node, const Step& step, const std::string& who) {
  if (!allowed(node, step.cut))
    raise(ErrorKind::Model,
          fmt::format("{} is cut along axis {} in grains of {}, which its lowering does not allow",
                      who, step.cut.axis, step.cut.grain));
  if (node.outputs.empty() || !node.outputs[0].valid())
    raise(ErrorKind::Model, fmt::format("{} has no first output to be cut", who));
  const TensorType& first = graph.value(node.outputs[0]).type;
  const auto axis = static_cast<std::size_t>(step.cut.axis);
  for (ValueId output : node.outputs) {
    if (!output.valid()) continue;
    const Dims& dims = graph.value(output).type.dims;
    if (step.cut.axis < 0 || axis >= dims.size() || dims[axis] != first.dims[axis])
      raise(ErrorKind::Model,
            fmt::format("{} is cut along axis {}, which does not cut its output {}", who,
                        step.cut.axis, quote(graph.value(output).name)));
  }
  if (step.parts > most_parts(first, step.cut))
    raise(ErrorKind::Model,
          fmt::format("{} is cut into {} parts; there are only {} grains of {} along axis {}", who,
                      step.parts, most_parts(first, step.cut), step.cut.grain, step.cut.axis));
}

void check_parts(const Graph& graph, const Plan& plan, NodeId id,
                 const std::vector<StepRef>& steps) {
  const std::string who = describe(graph, id);
  if (steps.empty()) raise(ErrorKind::Model, fmt::format("no stream has a step for {}", who));
  const Step& first = step_at(plan, steps[0]);
  std::vector<StepRef> by_part = steps;
  std::sort(by_part.begin(), by_part.end(), [&](StepRef a, StepRef b) {
    return std::pair(step_at(plan, a).part, a) < std::pair(step_at(plan, b).part, b);
  });
  for (std::size_t i = 0; i < by_part.size(); ++i) {
    const Step& step = step_at(plan, by_part[i]);
    if (step.parts != first.parts || (step.parts > 1 && step.cut != first.cut))
      raise(ErrorKind::Model,
            fmt::format("{} and {} cut one node in two ways", describe(graph, plan, steps[0]),
                        describe(graph, plan, by_part[i])));
    if (step.parts < 1 || step.part < 0 || step.part >= step.parts)
      raise(ErrorKind::Model,
            fmt::format("{} at streams[{}][{}] is part {} of {}", who, by_part[i].stream.index,
                        by_part[i].index, step.part, step.parts));
    if (i > 0 && step.part == step_at(plan, by_part[i - 1]).part)
      raise(ErrorKind::Model, fmt::format("{} stands a second time at streams[{}][{}]",
                                          describe(graph, plan, by_part[i - 1]),
                                          by_part[i].stream.index, by_part[i].index));
    if (static_cast<std::size_t>(step.part) != i)
      raise(ErrorKind::Model, fmt::format("no stream has part {} of {} of {}", i, step.parts, who));
  }
  if (by_part.size() != static_cast<std::size_t>(first.parts))
    raise(ErrorKind::Model,
          fmt::format("no stream has part {} of {} of {}", by_part.size(), first.parts, who));
  if (first.parts > 1) check_cut(graph, graph.node(id), first, who);
}

void check_views(const Graph& graph) {
  for (NodeId id : graph.node_ids()) {
    if (!is_view(graph.node(id))) continue;
    if (const auto reason = rejects_view(graph, id))
      raise(ErrorKind::Model,
            fmt::format("{} is lowered as a view, but {}", describe(graph, id), *reason));
  }
}

void check_reads(const Graph& graph, const Plan& plan, const HappensBefore& order,
                 const Accesses& accesses) {
  for (StepRef ref : order.order()) {
    const Node& node = graph.node(step_at(plan, ref).node);
    if (is_view(node)) continue;
    for (ValueId input : node.inputs) {
      if (!input.valid() || order.before(accesses.writers(input), ref)) continue;
      for (StepRef writer : accesses.writers(input))
        if (!order.before(writer, ref))
          raise(
              ErrorKind::Model,
              fmt::format("{} reads value {} but does not come after {}, which writes it: it must "
                          "wait for streams[{}][{}]",
                          describe(graph, plan, ref), quote(graph.value(input).name),
                          describe(graph, plan, writer), writer.stream.index, writer.index));
    }
  }
}

}  // namespace

void check_belongs(const Graph& graph, const Plan& plan) {
  const Hash128 expected = hash(graph, HashWeights::TypesOnly);
  if (plan.graph != expected)
    raise(ErrorKind::Model,
          fmt::format("the Plan belongs to another graph: its hash is {}, this graph's is {}. The "
                      "model, --disable, --isa, --threads or the version of Braid is another; plan "
                      "again",
                      to_string(plan.graph), to_string(expected)));
}

void verify(const Graph& graph, const Plan& plan) {
  check_belongs(graph, plan);
  const HappensBefore order(graph, plan);
  const auto steps = steps_by_node(graph, plan);
  for (NodeId id : graph.node_ids()) check_parts(graph, plan, id, steps[id.at()]);
  check_views(graph);
  const Accesses accesses(graph, plan);
  check_placements(graph, plan, accesses.links());
  check_reads(graph, plan, order, accesses);
  check_tenancies(graph, plan, order, accesses);
}

}  // namespace braid
