#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "cost/node_costs.h"
#include "ops/call.h"
#include "plan/one_stream.h"
#include "plan/shuffle.h"
#include "plan/trace_faults.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"
#include "tensor/difference.h"
#include "tensor/testing/random_tensor.h"
#include "tests/devices/checks.h"
#include "tests/devices/random_movement.h"

namespace braid {
namespace {

template <class Body>
std::vector<std::string> for_each_network(const DeviceUnderTest& tried, Body body) {
  const auto device = tried.open();
  Complaints complaints;
  for (int seed = 1; seed <= tried.networks; ++seed)
    complaints.unless(fmt::format("network {}", seed), [&] {
      const Subject subject = make_subject(*device, static_cast<std::uint32_t>(seed));
      body(*device, subject, complaints, fmt::format("network {}", seed));
    });
  return complaints.take();
}

/// Options of a short search in which clocks decide nothing.
ScheduleOptions searching_briefly(const Device& device, const Graph& lowered) {
  ScheduleOptions options;
  options.ways = device.ways(lowered);
  options.budget_seconds = std::numeric_limits<double>::infinity();
  options.search_steps = 30;
  return options;
}

/// Allows for different orders of additions, one layer after another.
constexpr double kNetworkTolerance = 1e-3;

}  // namespace

std::vector<std::string> check_networks(const DeviceUnderTest& tried) {
  return for_each_network(tried, [](const Device& device, const Subject& subject, Complaints& to,
                                    const std::string& network) {
    const std::vector<Tensor> values = evaluate(subject.graph, subject.inputs);
    for (std::size_t i = 0; i < subject.expected.size(); ++i) {
      const GraphOutput& output = subject.graph.outputs()[i];
      if (!difference(subject.expected[i], values[output.value.at()])
               .within(kNetworkTolerance, kNetworkTolerance))
        to.add(fmt::format("{}: output '{}' is not what it evaluates to", network, output.name));
    }
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const std::string where = fmt::format("{}, random Plan {}", network, seed);
      const Plan plan = random_plan_for(device, subject.lowered, seed);
      verify(subject.lowered, plan);
      const auto program = device.compile(subject.lowered, plan);
      for (int round = 0; round < 2; ++round)
        to.unless_runs(where, *program, subject.inputs, subject.expected);
    }
  });
}

std::vector<std::string> check_movement(const DeviceUnderTest& tried) {
  const auto device = tried.open();
  Complaints complaints;
  std::mt19937 random(1);
  const std::vector<Tensor> inputs = {random_tensor({4, 6}, random, Numbers::SmallIntegers)};
  for (int seed = 1; seed <= 8 * tried.networks; ++seed) {
    const std::string where = fmt::format("movement {}", seed);
    complaints.unless(where, [&] {
      const Graph graph = random_movement(static_cast<std::uint64_t>(seed));
      const std::vector<Tensor> values = evaluate(graph, inputs);
      const Graph lowered = device->lower(graph, device->modelled_costs());
      const std::vector<Plan> plans = {one_stream(lowered, device->spec().name),
                                       random_plan_for(*device, lowered, 1),
                                       random_plan_for(*device, lowered, 2)};
      for (const Plan& plan : plans) {
        verify(lowered, plan);
        const std::vector<Tensor> outputs = device->compile(lowered, plan)->run(inputs);
        for (std::size_t i = 0; i < outputs.size(); ++i)
          if (!difference(outputs[i], values[graph.outputs()[i].value.at()]).within(0, 0))
            complaints.add(fmt::format("{}: output {} is wrong in {}", where, i, plan.scheduler));
      }
    });
  }
  return complaints.take();
}

std::vector<std::string> check_schedulers(const DeviceUnderTest& tried) {
  return for_each_network(tried, [](const Device& device, const Subject& subject, Complaints& to,
                                    const std::string& network) {
    const NodeCosts costs(subject.lowered, device.modelled_costs());
    const ScheduleOptions options = searching_briefly(device, subject.lowered);
    for (const Scheduler& scheduler : schedulers()) {
      const std::string where = fmt::format("{}, {}", network, scheduler.name);
      const Plan plan = schedule(scheduler.name, subject.lowered, costs, device.spec(), options);
      verify(subject.lowered, plan);
      const auto program = device.compile(subject.lowered, plan);
      for (int round = 0; round < 2; ++round)
        to.unless_runs(where, *program, subject.inputs, subject.expected);
    }
  });
}

std::vector<std::string> check_poison(const DeviceUnderTest& tried) {
  return for_each_network(tried, [](const Device& device, const Subject& subject, Complaints& to,
                                    const std::string& network) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Plan plan =
          shuffled(subject.lowered, random_plan_for(device, subject.lowered, seed), seed);
      verify(subject.lowered, plan);
      const auto program = device.compile(subject.lowered, plan);
      for (std::uint64_t poison = 1; poison <= 2; ++poison)
        to.unless_runs(fmt::format("{}, Plan {}, poison {}", network, seed, poison), *program,
                       subject.inputs, subject.expected, {.poison_seed = poison});
    }
  });
}

std::vector<std::string> check_traces(const DeviceUnderTest& tried) {
  return for_each_network(tried, [](const Device& device, const Subject& subject, Complaints& to,
                                    const std::string& network) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const std::string where = fmt::format("{}, random Plan {}", network, seed);
      const Plan plan = random_plan_for(device, subject.lowered, seed);
      const auto program = device.compile(subject.lowered, plan);
      Trace trace;
      to.unless_runs(where, *program, subject.inputs, subject.expected, {.trace = &trace});
      to.add_all(where, trace_faults(subject.lowered, plan, trace));
      std::vector<double> ended(plan.streams.size(), 0);
      for (const TraceEvent& event : trace.events) {
        double& before = ended.at(static_cast<std::size_t>(event.stream));
        if (event.begin_us < before || event.end_us < event.begin_us)
          to.add(fmt::format("{}: '{}' and what came before it on its stream overlap", where,
                             event.name));
        before = event.end_us;
      }
    }
  });
}

}  // namespace braid
