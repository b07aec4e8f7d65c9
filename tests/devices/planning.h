#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/builder.h"
#include "ops/call.h"
#include "pipeline/stages.h"

/// For tests that plan without a clock: the device's model says what nodes cost, nothing is
/// measured, and searches count their steps.

namespace braid {

inline PipelineOptions without_clocks(std::string_view scheduler) {
  PipelineOptions options;
  options.plan.scheduler = scheduler;
  options.rewrite.canonicalise = false;
  options.costs.use_cache = false;
  options.plan.search_steps = 30;
  return options;
}

/// What the device must give: nothing changes the numbers.
inline std::vector<Tensor> evaluated_outputs(const Graph& graph,
                                             const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> values = evaluate(graph, inputs);
  std::vector<Tensor> outputs;
  for (const GraphOutput& output : graph.outputs()) outputs.push_back(values[output.value.at()]);
  return outputs;
}

/// "quota exceeded: message", or "no error".
template <class Body>
inline std::string complaint_from(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return fmt::format("{}: {}", name(error.kind()), error.message());
  }
  return "no error";
}

/// Branches with a large value each, of a shape that the fake device does not cut.
inline Graph wide_branches() {
  std::string text = "x: f32[1,512,2]\n";
  for (int i = 0; i < 4; ++i) text += fmt::format("a{0} = Erf(x)\ny{0} = ReduceMax(a{0})\n", i);
  return parse(text);
}

}  // namespace braid
