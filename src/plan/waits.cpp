#include "plan/waits.h"

#include "plan/accesses.h"

namespace braid {

void add_data_waits(const Graph& graph, Plan& plan) {
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

}  // namespace braid
