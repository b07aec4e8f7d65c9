#include "device/sim/sim_program.h"

#include <fmt/format.h>

#include "base/error.h"
#include "sim/ensemble.h"
#include "sim/plan_launches.h"

namespace braid::sim {
namespace {

std::string called(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.name.empty()) return node.name;
  for (ValueId output : node.outputs)
    if (output.valid()) return graph.value(output).name;
  return node.op;
}

class SimProgram : public Program {
 public:
  SimProgram(const SimSettings& settings, const Graph& lowered, const Plan& plan)
      : settings_(settings), lowered_(lowered), plan_(plan) {
    const NodeKernels kernels = node_kernels(*settings.ways, lowered);
    const PlanSlots all = slots_of(kernels, plan);
    launches_ = launches_of(kernels, all.slots);
    for (StepRef ref : all.steps) {
      const NodeId node = step_at(plan, ref).node;
      nodes_.push_back(node.index);
      names_.push_back(called(lowered, node));
      ops_.push_back(lowered.node(node).op);
    }
  }

  std::vector<Tensor> run(std::span<const Tensor> /*inputs*/,
                          const RunOptions& /*options*/) override {
    raise(ErrorKind::Unsupported,
          fmt::format("{} is simulated: it tells times, not numbers; `braid bench` and `braid "
                      "trace` show them, and --device cpu computes",
                      settings_.name));
  }

  std::optional<SimulatedTime> simulate(Trace* trace) const override {
    if (trace != nullptr) *trace = nominal_trace();
    SimulatedTime time;
    time.nominal_us = sim::simulate(settings_.gpu, launches_, settings_.engine).time_us;
    for (PlanModel& model : plan_models(settings_, lowered_, kReportedDraws))
      time.draws_us.push_back(model.time_us(plan_));
    return time;
  }

 private:
  Trace nominal_trace() const {
    EngineOptions options = settings_.engine;
    options.log_usage = true;
    const Simulation result = sim::simulate(settings_.gpu, launches_, options);
    Trace trace;
    for (std::size_t i = 0; i < launches_.size(); ++i)
      trace.events.push_back({.name = names_[i],
                              .category = ops_[i],
                              .stream = launches_[i].stream,
                              .begin_us = result.launches[i].begin_us,
                              .end_us = result.launches[i].end_us,
                              .node = nodes_[i],
                              .kernel = launches_[i].kernel.family});
    trace.series = {{"SMs with work", {}}, {"threads of SMs", {}}, {"memory bandwidth", {}}};
    for (const Usage& usage : result.usage) {
      trace.series[0].points.push_back({usage.at_us, usage.sms});
      trace.series[1].points.push_back({usage.at_us, usage.threads});
      trace.series[2].points.push_back({usage.at_us, usage.dram});
    }
    return trace;
  }

  SimSettings settings_;
  Graph lowered_;
  Plan plan_;
  std::vector<Launch> launches_;
  std::vector<std::int32_t> nodes_;  // of each launch
  std::vector<std::string> names_;   // of the node of each launch
  std::vector<std::string> ops_;
};

}  // namespace

std::unique_ptr<Program> make_program(const SimSettings& settings, const Graph& lowered,
                                      const Plan& plan) {
  return std::make_unique<SimProgram>(settings, lowered, plan);
}

}  // namespace braid::sim
