#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/stages.h"
#include "plan/trace_faults.h"

namespace braid {
namespace {

/// Raises Internal if a step began before what it reads was written, or wrote what others used.
std::vector<Tensor> run_and_check(const Runnable& model, std::span<const Tensor> inputs,
                                  RunOptions options) {
  Trace own;
  if (options.trace == nullptr) options.trace = &own;
  std::vector<Tensor> outputs = model.program->run(inputs, options);
  const auto faults = trace_faults(model.lowered(), model.plan, *options.trace);
  if (!faults.empty()) raise(ErrorKind::Internal, "a race: " + faults[0]);
  return outputs;
}

}  // namespace

std::vector<Tensor> run(const Runnable& model, std::span<const Tensor> inputs,
                        const RunOptions& options) {
  const Graph& graph = model.graph();
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
  return options.poison_seed ? run_and_check(model, inputs, options)
                             : model.program->run(inputs, options);
}

}  // namespace braid
