#include "schedule/schedulers.h"

#include <functional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/text.h"
#include "plan/happens_before.h"
#include "plan/verify.h"

namespace braid {
namespace {

class FreeOfCharge : public CostModel {
 public:
  Cost cost(const Graph& /*graph*/, NodeId /*node*/, int /*parts*/) const override { return {}; }
};

TEST(Schedulers, AreFoundByName) {
  for (const Scheduler& scheduler : schedulers()) {
    EXPECT_EQ(scheduler_named(scheduler.name).run, scheduler.run);
    EXPECT_FALSE(scheduler.help.empty());
  }
}

TEST(Schedulers, AnUnknownNameListsTheKnown) {
  try {
    scheduler_named("fastest");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_EQ(error.message(), "there is no scheduler 'fastest': choose one of sequential");
  }
}

struct Shape {
  std::string name;
  std::function<Graph()> make;
};

/// Grows a graph of nodes that all have one type.
class Grower {
 public:
  Grower() : input_(graph_.add_input("x", type_)) {}
  ValueId input() const { return input_; }
  ValueId add(std::vector<ValueId> inputs, std::int64_t scratch = 0) {
    Node node;
    node.op = "Mix";
    node.inputs = std::move(inputs);
    node.lowering = {"k", scratch, {}};
    return graph_.node(graph_.add_node(std::move(node), {type_})).outputs[0];
  }
  Graph finish(ValueId output) {
    graph_.add_output(output);
    graph_.remove_dead();
    return std::move(graph_);
  }

 private:
  TensorType type_{ElementType::F32, {64}};
  Graph graph_;
  ValueId input_;
};

Graph chain() {
  Grower grower;
  ValueId at = grower.input();
  for (int i = 0; i < 10; ++i) at = grower.add({at}, i % 3 == 0 ? 100 : 0);
  return grower.finish(at);
}

Graph diamond() {
  Grower grower;
  const ValueId top = grower.add({grower.input()});
  return grower.finish(grower.add({grower.add({top}), grower.add({top})}));
}

Graph tree() {
  Grower grower;
  std::vector<ValueId> row(16, grower.input());
  for (ValueId& leaf : row) leaf = grower.add({leaf}, 64);
  while (row.size() > 1) {
    std::vector<ValueId> next;
    for (std::size_t i = 0; i < row.size(); i += 2)
      next.push_back(grower.add({row[i], row[i + 1]}));
    row = std::move(next);
  }
  return grower.finish(row[0]);
}

Graph inception_block() {
  Grower grower;
  const ValueId top = grower.add({grower.input()});
  std::vector<ValueId> ends;
  for (int length : {1, 2, 3, 2}) {
    ValueId at = top;
    for (int i = 0; i < length; ++i) at = grower.add({at}, 256);
    ends.push_back(at);
  }
  return grower.finish(grower.add(ends));
}

Graph random_graph(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Grower grower;
  std::vector<ValueId> values = {grower.input()};
  for (int i = 0; i < 60; ++i) {
    std::vector<ValueId> inputs = {values[engine() % values.size()]};
    if (engine() % 2 == 0) inputs.push_back(values[engine() % values.size()]);
    values.push_back(grower.add(std::move(inputs), static_cast<std::int64_t>(engine() % 3) * 64));
  }
  return grower.finish(grower.add(values));
}

std::vector<Shape> shapes() {
  std::vector<Shape> all = {
      {"chain", chain}, {"diamond", diamond}, {"tree", tree}, {"inception block", inception_block}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    all.push_back(
        {"random graph, seed " + std::to_string(seed), [=] { return random_graph(seed); }});
  return all;
}

TEST(Schedulers, MakePlansThatVerifyAndTheSameOnesEachTime) {
  for (const Scheduler& scheduler : schedulers())
    for (const Shape& shape : shapes()) {
      SCOPED_TRACE(fmt::format("{} on {}", scheduler.name, shape.name));
      const Graph graph = shape.make();
      const DeviceSpec device{.name = "fake", .streams = 4};
      const Plan plan = scheduler.run(graph, FreeOfCharge(), device, {});
      EXPECT_NO_THROW(verify(graph, plan));
      EXPECT_EQ(plan.scheduler, scheduler.name);
      EXPECT_EQ(plan.device, device.name);
      Plan reduced = plan;
      reduce_waits(graph, reduced);
      EXPECT_EQ(reduced, plan);
      EXPECT_EQ(scheduler.run(graph, FreeOfCharge(), device, {}), plan);
    }
}

TEST(Sequential, PutsEveryNodeOnOneStreamAfterItsInputs) {
  const Graph graph = parse_graph(R"(
      x: f32[16]
      a: f32[16] = Relu(x)
      b: f32[16] = Relu(a)
      y: f32[16] = Add(b, a))",
                                  {});
  const Plan plan = sequential(graph, FreeOfCharge(), {.name = "cpu"}, {});
  EXPECT_EQ(plan.graph, hash(graph, HashWeights::TypesOnly));
  EXPECT_EQ(plan.device, "cpu");
  EXPECT_EQ(plan.scheduler, "sequential");
  ASSERT_EQ(plan.streams.size(), 1);
  std::vector<NodeId> nodes;
  for (const Step& step : plan.streams[0]) {
    EXPECT_TRUE(step.waits.empty());
    EXPECT_EQ(step.parts, 1);
    nodes.push_back(step.node);
  }
  EXPECT_EQ(nodes, graph.node_ids());
  EXPECT_EQ(plan.arena_bytes, 128);
}

}  // namespace
}  // namespace braid
