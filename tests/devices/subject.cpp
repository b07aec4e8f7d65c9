#include "tests/devices/subject.h"

#include <algorithm>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/order.h"
#include "ops/testing/random_network.h"
#include "plan/happens_before.h"
#include "plan/memory.h"
#include "plan/one_stream.h"
#include "plan/testing/random_plan.h"
#include "plan/waits.h"

namespace braid {

Subject make_subject(const Device& device, std::uint32_t seed) {
  constexpr int kNodes = 20;
  Subject subject;
  subject.graph = random_network(seed, kNodes);
  subject.lowered = device.lower(subject.graph, device.modelled_costs());
  subject.inputs = other_inputs(seed);
  const Plan plan = one_stream(subject.lowered, device.spec().name);
  subject.expected = device.compile(subject.lowered, plan)->run(subject.inputs);
  return subject;
}

std::vector<Tensor> other_inputs(std::uint32_t seed) {
  std::mt19937 random(seed);
  return {random_tensor({2, 8, 6, 6}, random)};
}

Plan random_plan_for(const Device& device, const Graph& lowered, std::uint64_t seed) {
  const DeviceSpec& spec = device.spec();
  return random_plan(lowered, seed,
                     {.streams = spec.streams, .most_parts = spec.streams, .device = spec.name});
}

Plan spread_plan(const Device& device, const Graph& lowered, std::size_t cut) {
  Plan plan;
  plan.graph = hash(lowered, HashWeights::TypesOnly);
  plan.device = device.spec().name;
  plan.scheduler = "spread";
  plan.streams.resize(static_cast<std::size_t>(device.spec().streams));
  for (const NodeId id : topological_order(lowered)) {
    const std::vector<Cut>& cuts = lowered.node(id).lowering.cuts;
    Step step;
    step.node = id;
    if (!cuts.empty()) {
      step.cut = cuts[std::min(cut, cuts.size() - 1)];
      const TensorType& output = lowered.value(lowered.node(id).outputs[0]).type;
      step.parts = static_cast<std::int32_t>(
          std::min<std::int64_t>(device.spec().streams, most_parts(output, step.cut)));
    }
    for (; step.part < step.parts; ++step.part)
      plan.streams[static_cast<std::size_t>(step.part)].push_back(step);
  }
  add_data_waits(lowered, plan);
  reduce_waits(lowered, plan);
  place(lowered, plan);
  return plan;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, identical);
}

void Complaints::add_all(const std::string& where, const std::vector<std::string>& complaints) {
  for (const std::string& complaint : complaints) add(where + ": " + complaint);
}

void Complaints::unless(const std::string& where, const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    add(where + ": " + error.what());
  }
}

void Complaints::unless_runs(const std::string& where, Program& program,
                             const std::vector<Tensor>& inputs, const std::vector<Tensor>& expected,
                             const RunOptions& options) {
  unless(where, [&] {
    if (!same_bits(program.run(inputs, options), expected)) add(where + ": other bits");
  });
}

}  // namespace braid
