#include "plan/constraints.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/text.h"
#include "plan/happens_before.h"
#include "plan/memory.h"
#include "plan/testing/random_plan.h"
#include "plan/verify.h"

namespace braid {
namespace {

class ConstraintsTest : public testing::Test {
 protected:
  Graph graph = parse_graph(R"(
      x: f32[16]
      a: f32[16] = Relu(x) <k>
      b: f32[16] = Neg(a) <k cut=0/8>
      c: f32[16] = Relu(a) <k>
      v: f32[16] = Identity(c) <view>
      d: f32[16] = Neg(x) <k>
      y: f32[16] = Sum(b, v, d) <k>)",
                            {});

  std::vector<Constraint> constraints(std::string_view text, int streams = 2) const {
    return constraints_of(graph, NodeNames(graph), parse_edits(text), streams);
  }
  std::string refused(std::string_view text) const {
    try {
      constraints(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Model);
      return error.message() + (error.notes().empty() ? "" : " | " + error.notes()[0]);
    }
    return "no error";
  }
  NodeId made(std::string_view value) const { return graph.value(graph.find(value)).producer; }

  Step step(std::string_view output) const {
    Step step;
    step.node = made(output);
    return step;
  }
  Step part(std::int32_t number) const {
    Step part = step("b");
    part.part = number;
    part.parts = 2;
    part.cut = {0, 8};
    return part;
  }
  /// A Plan with a b.0 y on one stream, d c v b.1 on the other.
  Plan plan() const {
    Plan plan;
    plan.graph = hash(graph, HashWeights::TypesOnly);
    plan.streams = {{step("a"), part(0), step("y")}, {step("d"), step("c"), step("v"), part(1)}};
    add_data_waits(graph, plan);
    reduce_waits(graph, plan);
    place(graph, plan);
    return plan;
  }
  std::string text(const Plan& plan) const {
    std::string text;
    for (const auto& stream : plan.streams) {
      for (const Step& step : stream)
        text += graph.value(graph.node(step.node).outputs[0]).name +
                (step.parts > 1 ? fmt::format("{} ", step.part) : " ");
      text += "| ";
    }
    return text;
  }
};

TEST_F(ConstraintsTest, OrdersThatTheGraphContradictsAreRefusedWithThePath) {
  EXPECT_EQ(refused("before d c\nbefore y a"),
            "edits line 2 (before y a) asks for 'y' (Sum) before 'a' (Relu), but they must run in "
            "this order: 'a' (Relu) → 'b' (Neg) → 'y' (Sum); remove the line or turn it round");
}

TEST_F(ConstraintsTest, LinesThatContradictOneAnotherAreRefused) {
  EXPECT_EQ(refused("before d b\nbefore b d"),
            "edits line 2 (before b d) asks for 'b' (Neg) before 'd' (Neg), but they must run in "
            "this order: 'd' (Neg) (line 1) → 'b' (Neg); remove the line or turn it round");
  EXPECT_EQ(refused("before ? c"),
            "edits line 1 (before ? c): 'c' (Relu) cannot come before itself; it stands on both "
            "sides");
  EXPECT_EQ(refused("pin d stream 0\npin d stream 1"),
            "edits line 2 (pin d stream 1) pins 'd' (Neg) to stream 1, but line 1 pins it to "
            "stream 0: keep one of them");
}

TEST_F(ConstraintsTest, UnknownNodesAndStreamsAreRefused) {
  EXPECT_EQ(refused("pin a stream 2"),
            "edits line 1 (pin a stream 2): there is no stream 2; the device has 2, numbered from "
            "0 (on a CPU --threads gives more)");
  EXPECT_EQ(refused("\nbefore a nowhere_at_all"),
            "the graph has no node 'nowhere_at_all'; `braid plan MODEL --steps` lists them | in "
            "edits line 2 (before a nowhere_at_all)");
}

TEST_F(ConstraintsTest, AViewStandsForWhoWritesItsBytes) {
  const auto found = constraints("before v d");
  EXPECT_EQ(found[0].a, (std::vector{made("c")}));
}

TEST_F(ConstraintsTest, NothingToObeyChangesNothing) {
  EXPECT_EQ(obeying(graph, plan(), {}), plan());
  EXPECT_EQ(obeying(graph, plan(), constraints("before a b")), plan()) << "it was so already";
}

TEST_F(ConstraintsTest, APinnedNodeMovesAndIsWhole) {
  const Plan moved = obeying(graph, plan(), constraints("pin b stream 1\npin a stream 1"));
  EXPECT_EQ(text(moved), "y | a d b c v | ");
  EXPECT_NO_THROW(verify(graph, moved));
}

TEST_F(ConstraintsTest, BeforePutsOffWhatComesLater) {
  const Plan moved = obeying(graph, plan(), constraints("before b d\nbefore b c"));
  EXPECT_EQ(text(moved), "a b0 y | b1 d c v | ");
  EXPECT_NO_THROW(verify(graph, moved));
  const HappensBefore order(graph, moved);
  EXPECT_TRUE(order.before(StepRef{StreamId(0), 1}, StepRef{StreamId(1), 1}));
}

TEST_F(ConstraintsTest, NeverParallelOrdersAsThePlanDoes) {
  const Plan plan = this->plan();
  const StepRef a{StreamId(0), 0};
  const StepRef d{StreamId(1), 0};
  EXPECT_FALSE(HappensBefore(graph, plan).before(a, d));
  const Plan apart = obeying(graph, plan, constraints("never-parallel d a"));
  EXPECT_EQ(text(apart), text(plan));
  EXPECT_TRUE(HappensBefore(graph, apart).before(a, d));
}

}  // namespace
}  // namespace braid
