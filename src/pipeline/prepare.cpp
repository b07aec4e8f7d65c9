#include "pipeline/prepare.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/verify.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"

namespace braid {

void mark_all_values(Graph& graph) {
  for (ValueId id : graph.value_ids()) {
    const Value& value = graph.value(id);
    if (value.producer.valid() && !graph.has_output(value.name)) graph.add_output(id);
  }
}

Prepared prepare(Graph graph, const Device& device, const PrepareOptions& options) {
  const Scheduler& scheduler = scheduler_named(options.scheduler);
  Prepared result;
  verify(graph);
  if (options.canonicalise) {
    CanonicaliseOptions steps;
    steps.disabled = options.disabled_steps;
    steps.progress = options.progress;
    Canonicalised canonical = canonicalise(std::move(graph), steps);
    graph = std::move(canonical.graph);
    result.canonicalised = std::move(canonical.steps);
  }
  if (options.all_values) mark_all_values(graph);
  result.graph = std::move(graph);

  const CostModel& costs = device.modelled_costs();
  report(options.progress, "lowering", 0, 0);
  result.lowered = device.lower(result.graph, costs);
  verify(result.lowered);
  report(options.progress, "scheduling", 0, 0);
  result.plan = scheduler.run(result.lowered, costs, device.spec(), {});
  verify(result.lowered, result.plan);
  report(options.progress, "compiling", 0, 0);
  result.program = device.compile(result.lowered, result.plan);
  return result;
}

std::vector<Tensor> run(const Prepared& prepared, std::span<const Tensor> inputs,
                        const RunOptions& options) {
  const Graph& graph = prepared.graph;
  if (inputs.size() != graph.inputs().size())
    raise(ErrorKind::Usage, fmt::format("the model has {} inputs, {} tensors were given",
                                        graph.inputs().size(), inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value& expected = graph.value(graph.inputs()[i]);
    if (!inputs[i].defined())
      raise(ErrorKind::Model, fmt::format("input {} ({}) was not given", quote(expected.name),
                                          to_string(expected.type)));
    if (inputs[i].type() != expected.type)
      raise(ErrorKind::Model, fmt::format("input {} has type {}, expected {}", quote(expected.name),
                                          to_string(inputs[i].type()), to_string(expected.type)));
  }
  return prepared.program->run(inputs, options);
}

}  // namespace braid
