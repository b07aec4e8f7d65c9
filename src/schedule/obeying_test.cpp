#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "graph/order.h"
#include "plan/constraints.h"
#include "plan/happens_before.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"
#include "schedule/testing/graphs.h"

namespace braid {
namespace {

std::string name_of(const Graph& graph, NodeId node) {
  return graph.value(graph.node(node).outputs[0]).name;
}

/// Lines that do not contradict one another: orders follow one topological order.
std::string random_edits(const Graph& graph, std::uint64_t seed, int streams) {
  std::mt19937_64 engine(seed);
  std::vector<NodeId> order;
  for (NodeId id : topological_order(graph))
    if (!is_view(graph.node(id))) order.push_back(id);
  std::map<NodeId, std::uint64_t> pins;
  std::string text = "# seed " + std::to_string(seed) + "\n";
  for (std::uint64_t n = 1 + engine() % 6; n > 0; --n) {
    const std::size_t first = engine() % order.size();
    const std::size_t second = engine() % order.size();
    const std::string a = name_of(graph, order[std::min(first, second)]);
    const std::string b = name_of(graph, order[std::max(first, second)]);
    switch (engine() % 3) {
      case 0: {
        const auto stream = engine() % static_cast<std::uint64_t>(streams);
        const auto pin = pins.emplace(order[first], stream).first->second;
        text += fmt::format("pin {} stream {}\n", name_of(graph, order[first]), pin);
        break;
      }
      case 1:
        if (a != b) text += fmt::format("before {} \"{}\"\n", a, b);
        break;
      default:
        text += fmt::format("never-parallel {} {}\n", b, engine() % 4 == 0 ? "*" : a);
    }
  }
  return text;
}

/// Checks every pair of steps, independent of how they were brought in order.
void expect_obeyed(const Graph& graph, const Plan& plan, const Constraint& constraint) {
  const HappensBefore happens(graph, plan);
  const auto steps = steps_by_node(graph, plan);
  for (NodeId a : constraint.a) {
    if (constraint.kind == EditKind::Pin) {
      for (StepRef step : steps[a.at()]) EXPECT_EQ(step.stream.index, constraint.stream);
    }
    for (NodeId b : constraint.b) {
      if (a == b) continue;
      for (StepRef early : steps[a.at()])
        for (StepRef late : steps[b.at()]) {
          const bool either =
              constraint.kind == EditKind::NeverParallel && happens.before(late, early);
          EXPECT_TRUE(happens.before(early, late) || either)
              << describe(graph, plan, early) << " and " << describe(graph, plan, late);
        }
    }
  }
}

TEST(Obeying, PlansOfEverySchedulerObeyRandomEdits) {
  constexpr int kStreams = 3;
  const DeviceSpec device{.name = "fake", .streams = kStreams, .launch_us = 0.5, .wait_us = 0.5};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Graph graph = random_task_graph(seed);
    for (const Scheduler& scheduler : schedulers()) {
      const Plan plan = scheduler.run(graph, RandomCosts(seed), device, {.search_steps = 20});
      for (std::uint64_t draw = 1; draw <= 4; ++draw) {
        const std::string text = random_edits(graph, seed * 100 + draw, kStreams);
        SCOPED_TRACE(fmt::format("{}, graph {}, edits:\n{}", scheduler.name, seed, text));
        const auto constraints =
            constraints_of(graph, NodeNames(graph), parse_edits(text), kStreams);
        const Plan edited = obeying(graph, plan, constraints);
        ASSERT_NO_THROW(verify(graph, edited));
        EXPECT_LE(edited.streams.size(), static_cast<std::size_t>(kStreams));
        for (const Constraint& constraint : constraints) expect_obeyed(graph, edited, constraint);
      }
    }
  }
}

TEST(Obeying, BarriersOfASchedulerStay) {
  const Graph graph = inception_block();
  const DeviceSpec device{.name = "fake", .streams = 4};
  const Plan plan = wavefront(graph, EqualCosts(10), device, {});
  const auto constraints =
      constraints_of(graph, NodeNames(graph), parse_edits("never-parallel * *"), 4);
  EXPECT_EQ(obeying(graph, plan, {}), plan);
  const Plan apart = obeying(graph, plan, constraints);
  EXPECT_DOUBLE_EQ(simulate_lanes(graph, EqualCosts(10), device, apart).end_us,
                   10.0 * static_cast<double>(graph.node_count()));
}

}  // namespace
}  // namespace braid
