#include "schedule/schedulers.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/text.h"

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
