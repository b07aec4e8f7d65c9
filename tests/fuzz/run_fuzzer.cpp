// Bytes as an ONNX model: what the CPU gives is what the plain `evaluate` of every node gives, in
// two ways. Every node of the canonicalised graph, on the very inputs it had; and the outputs of
// the model as it came.

#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "device/device.h"
#include "devices/open.h"
#include "graph/text.h"
#include "onnx/load.h"
#include "ops/call.h"
#include "pipeline/stages.h"
#include "schedule/schedulers.h"
#include "tests/fuzz/compare.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/model_mutator.h"

namespace braid::fuzz {
namespace {

/// Arithmetic beyond this is left out: `evaluate` is slow.
constexpr double kMostFlops = 3e6;

const Device& device() {
  static const std::unique_ptr<Device> cpu = open_device("cpu", {.threads = 2});
  return *cpu;
}

double flops_of(const Graph& graph) {
  double sum = 0;
  for (NodeId id : graph.node_ids()) sum += work(graph, id).flops;
  return sum;
}

PipelineOptions options_for(std::string_view scheduler, bool all_values) {
  PipelineOptions options;
  options.plan.scheduler = scheduler;
  options.quotas = small_quotas();
  options.rewrite.all_values = all_values;
  options.costs.use_cache = false;
  return options;
}

void check_nodes(const Graph& graph, std::span<const Tensor> inputs) {
  const Runnable prepared = prepare(graph, device(), options_for("sequential", true));
  const std::vector<Tensor> results = run(prepared, inputs);
  std::vector<Tensor> values(prepared.graph().value_limit());
  for (ValueId id : prepared.graph().value_ids())
    if (prepared.graph().is_constant(id))
      values[id.at()] = prepared.graph().value(id).constant.aligned();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    values[prepared.graph().inputs()[i].at()] = inputs[i];
  for (std::size_t i = 0; i < results.size(); ++i)
    values[prepared.graph().outputs()[i].value.at()] = results[i];
  for (NodeId id : prepared.graph().nodes_in_order()) {
    const Node& node = prepared.graph().node(id);
    std::vector<Tensor> read;
    for (ValueId input : node.inputs) read.push_back(input.valid() ? values[input.at()] : Tensor{});
    // oneDNN's exponential and softmax make numbers of what is none.
    if (!all_finite(read)) continue;
    const std::vector<Tensor> expected = evaluate(node, read);
    for (std::size_t k = 0; k < node.outputs.size(); ++k)
      if (node.outputs[k].valid())
        expect_close(values[node.outputs[k].at()], expected[k], nullptr, [&] {
          return fmt::format("output {} of {} in\n{}", k, describe(prepared.graph(), id),
                             print(prepared.graph(), {.types = true}));
        });
  }
}

void check_outputs(const Graph& graph, std::span<const Tensor> inputs) {
  const std::vector<Tensor> expected = evaluate(graph, inputs);
  const std::vector<Tensor> shaken = evaluate_shaken(graph, inputs);
  const Runnable prepared = prepare(graph, device(), options_for("sequential", false));
  const std::vector<Tensor> results = run(prepared, inputs);
  const bool comparable = all_finite(expected);
  for (std::size_t i = 0; comparable && i < results.size(); ++i) {
    const std::size_t value = graph.outputs()[i].value.at();
    expect_close(results[i], expected[value], &shaken[value], [&] {
      return fmt::format("output {} of\n{}\ncanonicalised:\n{}", quote(graph.outputs()[i].name),
                         print(graph, {.types = true}), print(prepared.graph(), {.types = true}));
    });
  }
  // One scheduler for each input: nearly every graph is seen by all in the end.
  const Scheduler& scheduler = schedulers()[graph.value_limit() % schedulers().size()];
  const std::vector<Tensor> others =
      run(prepare(graph, device(), options_for(scheduler.name, false)), inputs);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!same_bits(results[i], others[i]))
      fail(fmt::format("scheduler {} changes output {} of\n{}", scheduler.name, i,
                       print(prepared.lowered(), {.types = true})));
}

void check(std::string_view bytes) {
  std::optional<Graph> graph;
  attempt([&] {
    const OwnedBytes owned(bytes);
    onnx::LoadOptions options;
    options.quotas = small_quotas();
    graph = onnx::load_bytes(owned.bytes(), owned.owner, options);
  });
  double flops = 0;
  if (!graph || !attempt([&] { flops = flops_of(*graph); }) || flops > kMostFlops) return;
  const std::vector<Tensor> inputs = inputs_for(*graph);
  attempt([&] { check_nodes(*graph, inputs); });
  attempt([&] { check_outputs(*graph, inputs); });
}

}  // namespace

std::vector<std::string> seeds() { return {}; }

}  // namespace braid::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::fuzz::check(braid::fuzz::text_of(data, size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return braid::fuzz::mutate_model_bytes(data, size, most, seed);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size,
                                                 const std::uint8_t* b, std::size_t b_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  return braid::fuzz::join_model_bytes({a, a_size}, {b, b_size}, {out, most}, seed);
}
