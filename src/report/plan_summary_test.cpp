#include "report/plan_summary.h"

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/text.h"
#include "plan/memory.h"

namespace braid {
namespace {

/// Every node takes 12 us, divided by its parts.
class Twelve : public CostModel {
 public:
  Cost cost(const Graph& /*graph*/, NodeId /*node*/, int parts) const override {
    return {.time_us = 12.0 / parts};
  }
};

class PlanSummaryTest : public testing::Test {
 protected:
  PlanSummaryTest() {
    plan.graph = hash(graph, HashWeights::TypesOnly);
    plan.streams = {{step("a"), part(0)}, {part(1), step("y")}};
    plan.streams[1][0].waits = {{StreamId(0), 0}};
    plan.streams[1][1].waits = {{StreamId(0), 1}};
    place(graph, plan);
  }

  Step step(std::string_view output) const {
    Step step;
    step.node = graph.value(graph.find(output)).producer;
    return step;
  }
  Step part(std::int32_t number) const {
    Step part = step("b");
    part.part = number;
    part.parts = 2;
    part.cut = {0, 8};
    return part;
  }

  Graph graph = parse_graph(R"(
      x: f32[16]
      a: f32[16] = Relu(x) <k>
      b: f32[16] = Neg(a) <k cut=0/8> @"negate"
      y: f32[16] = Relu(b) <k>)",
                            {});
  Plan plan;
};

TEST_F(PlanSummaryTest, CountsStepsPartsAndWaitsOfEachStream) {
  const PlanSummary summary = summarise(graph, plan, Twelve());
  ASSERT_EQ(summary.streams.size(), 2U);
  EXPECT_EQ(summary.streams[0].waits, 0);
  EXPECT_EQ(summary.streams[1].waits, 2);
  EXPECT_EQ(summary.total.steps, 4);
  EXPECT_EQ(summary.total.parts, 2);
  EXPECT_EQ(summary.cut_nodes, 1);
  EXPECT_DOUBLE_EQ(summary.streams[0].busy_us, 18);
  EXPECT_DOUBLE_EQ(summary.total.busy_us, 36);
}

TEST_F(PlanSummaryTest, ListsStepsWithWhatTheyWaitFor) {
  EXPECT_EQ(list_steps(graph, plan, Twelve()),
            "stream 0\n"
            "     0        12.0 us  Relu a <k>\n"
            "     1         6.0 us  Neg negate <k> part 1 of 2\n"
            "stream 1\n"
            "     0         6.0 us  Neg negate <k> part 2 of 2  after a on stream 0\n"
            "     1        12.0 us  Relu y <k>  after negate part 1 of 2 on stream 0\n");
}

}  // namespace
}  // namespace braid
