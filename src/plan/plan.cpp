#include "plan/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.h"

namespace braid {

std::int64_t most_parts(const TensorType& output, const Cut& cut) {
  return ceil_div(output.dims[static_cast<std::size_t>(cut.axis)], cut.grain);
}

CutRange cut_range(const TensorType& output, const Cut& cut, int part, int parts) {
  require(cut.axis >= 0 && static_cast<std::size_t>(cut.axis) < output.dims.size(),
          "a cut goes along an axis of the output");
  require(cut.grain > 0 && parts > 0 && part >= 0 && part < parts, "a part is one of its parts");
  const std::int64_t grains = most_parts(output, cut);
  const std::int64_t share = grains / parts;
  const std::int64_t larger = grains % parts;  // the first parts have one grain more
  const std::int64_t first = part * share + std::min<std::int64_t>(part, larger);
  const std::int64_t last = first + share + (part < larger ? 1 : 0);
  const std::int64_t extent = output.dims[static_cast<std::size_t>(cut.axis)];
  const auto element = [&](std::int64_t grain) {
    return grain == grains ? extent : grain * cut.grain;
  };
  return {element(first), element(last)};
}

bool lives_in_arena(const Graph& graph, ValueId value) {
  return graph.value(value).producer.valid() && !graph.is_output(value);
}

std::vector<std::vector<StepRef>> steps_by_node(const Graph& graph, const Plan& plan) {
  std::vector<std::vector<StepRef>> steps(graph.node_limit());
  for (std::size_t s = 0; s < plan.streams.size(); ++s)
    for (std::size_t i = 0; i < plan.streams[s].size(); ++i)
      steps[plan.streams[s][i].node.at()].push_back(
          {StreamId(static_cast<std::int64_t>(s)), static_cast<std::int32_t>(i)});
  return steps;
}

std::string describe(const Graph& graph, const Plan& plan, StepRef ref) {
  const Step& step = step_at(plan, ref);
  const std::string part =
      step.parts > 1 ? fmt::format("part {} of {} of ", step.part, step.parts) : "";
  return fmt::format("{}{} at streams[{}][{}]", part, describe(graph, step.node), ref.stream.index,
                     ref.index);
}

}  // namespace braid
