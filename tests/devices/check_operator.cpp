#include <fmt/format.h>

#include "base/error.h"
#include "cost/signature.h"
#include "ops/catalog.h"
#include "plan/one_stream.h"
#include "plan/trace_faults.h"
#include "plan/verify.h"
#include "tensor/difference.h"
#include "tests/devices/checks.h"

namespace braid {
namespace {

/// A draw as a graph of one node. What decides shapes is constant, as in every planned model.
struct OneNode {
  Graph graph;
  NodeId node;
  std::vector<Tensor> inputs;
};

std::vector<bool> constants_of(const Case& c) {
  std::vector<bool> constant = c.constant;
  constant.resize(c.inputs.size());
  for (;;) {
    OpCall call = call_of(c, true);
    for (std::size_t i = 0; i < constant.size(); ++i)
      if (!constant[i]) call.known[i] = nullptr;
    try {
      infer(op_def(c.op), std::move(call));
      return constant;
    } catch (const ValueNeeded& needed) {
      constant.at(needed.input()) = true;
    }
  }
}

OneNode one_node(const Accepted& draw) {
  OneNode one;
  Node node;
  node.op = draw.c.op;
  node.attributes = draw.c.attributes;
  const std::vector<bool> constant = constants_of(draw.c);
  for (std::size_t i = 0; i < draw.c.inputs.size(); ++i) {
    const Tensor& input = draw.c.inputs[i];
    const std::string name = "x" + std::to_string(i);
    if (!input.defined()) {
      node.inputs.emplace_back();
    } else if (constant[i]) {
      node.inputs.push_back(one.graph.add_constant(name, input));
    } else {
      node.inputs.push_back(one.graph.add_input(name, input.type()));
      one.inputs.push_back(input);
    }
  }
  std::vector<TensorType> types = draw.types;
  types.resize(draw.c.outputs);
  one.node = one.graph.add_node(std::move(node), types);
  for (const ValueId id : one.graph.node(one.node).outputs) one.graph.add_output(id);
  return one;
}

/// The plainest Plan first, then the node in parts.
std::vector<Plan> plans_of(const Device& device, const Graph& lowered) {
  std::vector<Plan> plans = {one_stream(lowered, device.spec().name)};
  for (std::size_t cut = 0; cut < most_cuts(lowered); ++cut)
    plans.push_back(spread_plan(device, lowered, cut));
  if (plans.size() > 1) plans.push_back(random_plan_for(device, lowered, 1));
  return plans;
}

class OperatorCheck {
 public:
  OperatorCheck(const Device& device, const Generator& generator, const Accepted& draw,
                Complaints& complaints)
      : device_(device), generator_(generator), draw_(draw), complaints_(complaints) {}

  void run() {
    const OneNode one = one_node(draw_);
    if (device_.rejects(one.graph, one.node)) {
      check_refusal(one.graph);
      return;
    }
    const Graph lowered = device_.lower(one.graph, device_.modelled_costs());
    const std::vector<Plan> plans = plans_of(device_, lowered);
    for (const Plan& plan : plans) verify(lowered, plan);
    const auto programs = device_.compile(lowered, plans);
    const std::vector<Tensor> whole = programs[0]->run(one.inputs);
    check_numbers(whole);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::string where = fmt::format("in the {}. of {} Plans", i + 1, plans.size());
      Trace trace;
      complaints_.unless_runs(where, *programs[i], one.inputs, whole,
                              {.trace = &trace, .poison_seed = i + 1});
      complaints_.add_all(where, trace_faults(lowered, plans[i], trace));
    }
  }

 private:
  void check_refusal(const Graph& graph) {
    try {
      device_.lower(graph, device_.modelled_costs());
      complaints_.add("a node that the device rejects was lowered");
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Unsupported)
        complaints_.add(std::string("a rejected node is not Unsupported: ") + error.what());
    }
  }

  void check_numbers(const std::vector<Tensor>& outputs) {
    const Case& c = draw_.c;
    const std::vector<Tensor> expected = evaluate(c.op, c.attributes, c.inputs, c.outputs);
    for (std::size_t i = 0; i < c.outputs; ++i) {
      if (outputs.at(i).type() != expected[i].type()) {
        complaints_.add(fmt::format("output {} is {}, expected {}", i, to_string(outputs[i].type()),
                                    to_string(expected[i].type())));
        continue;
      }
      const double tolerance = tolerance_of(generator_, draw_, expected[i].element());
      const Difference apart = difference(outputs[i], expected[i]);
      if (!apart.within(tolerance, tolerance))
        complaints_.add(fmt::format("output {} is off by {}", i, apart.max_abs));
    }
  }

  const Device& device_;
  const Generator& generator_;
  const Accepted& draw_;
  Complaints& complaints_;
};

}  // namespace

std::vector<std::string> check_operator(const Device& device, const Generator& generator,
                                        int draws) {
  std::vector<std::string> all;
  for (int index = 0; index < draws; ++index) {
    const auto draw = accepted(generator, index, generator.exactness == Exactness::Always);
    if (!draw) continue;
    Complaints complaints;
    complaints.unless("while it ran",
                      [&] { OperatorCheck(device, generator, *draw, complaints).run(); });
    for (const std::string& complaint : complaints.take())
      all.push_back(fmt::format("draw {}: {}\n{}", index, complaint, text_of(draw->c)));
  }
  return all;
}

}  // namespace braid
