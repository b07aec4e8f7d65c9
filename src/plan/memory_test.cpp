#include "plan/memory.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"

namespace braid {
namespace {

Step step(const Graph& graph, std::string_view output, std::vector<StepRef> waits = {}) {
  Step step;
  step.node = graph.value(graph.find(output)).producer;
  step.waits = std::move(waits);
  return step;
}

Plan on_one_stream(const Graph& graph) {
  Plan plan;
  plan.streams.resize(1);
  for (NodeId id : graph.node_ids()) {
    plan.streams[0].emplace_back();
    plan.streams[0].back().node = id;
  }
  return plan;
}

std::int64_t offset(const Graph& graph, const Plan& plan, std::string_view name) {
  return plan.placements[graph.find(name).at()].offset;
}

TEST(Memory, AChainAlternatesBetweenTwoBuffers) {
  const Graph graph = parse_graph(R"(
      x: f32[16]
      a: f32[16] = Relu(x)
      b: f32[16] = Relu(a)
      c: f32[16] = Relu(b)
      d: f32[16] = Relu(c)
      y: f32[16] = Relu(d))",
                                  {});
  Plan plan = on_one_stream(graph);
  place(graph, plan);
  EXPECT_EQ(plan.arena_bytes, 128);
  EXPECT_EQ(offset(graph, plan, "a"), offset(graph, plan, "c"));
  EXPECT_EQ(offset(graph, plan, "b"), offset(graph, plan, "d"));
  EXPECT_EQ(offset(graph, plan, "x"), -1);
  EXPECT_EQ(offset(graph, plan, "y"), -1);
}

TEST(Memory, SizesAreRoundedUpToTheAlignment) {
  const Graph graph = parse_graph(R"(
      x: f32[1]
      a: f32[1] = Relu(x)
      b: f32[1] = Relu(x)
      y: f32[1] = Add(a, b))",
                                  {});
  Plan plan = on_one_stream(graph);
  place(graph, plan);
  EXPECT_EQ(plan.arena_bytes, 128);
  EXPECT_EQ(offset(graph, plan, "a"), 0);
  EXPECT_EQ(offset(graph, plan, "b"), 64);
}

TEST(Memory, EmptyValuesTakeNoBytes) {
  const Graph graph = parse_graph("x: f32[0]\na: f32[0] = Relu(x)\ny: f32[0] = Relu(a)\n", {});
  Plan plan = on_one_stream(graph);
  place(graph, plan);
  EXPECT_EQ(plan.arena_bytes, 0);
  EXPECT_EQ(offset(graph, plan, "a"), 0);
}

TEST(Memory, ScratchLivesForOneStep) {
  const Graph graph = parse_graph(R"(
      x: f32[16]
      a: f32[16] = Relu(x) <k scratch=100>
      b: f32[16] = Relu(a) <k scratch=100>
      y: f32[16] = Relu(b))",
                                  {});
  Plan plan = on_one_stream(graph);
  place(graph, plan);
  EXPECT_EQ(plan.arena_bytes, 128 + 64 + 64);
  EXPECT_EQ(plan.streams[0][0].scratch_offset, plan.streams[0][1].scratch_offset);
  EXPECT_EQ(plan.streams[0][2].scratch_offset, -1);
}

constexpr std::string_view kTwoBranches = R"(
    x: f32[16]
    a: f32[16] = Relu(x)
    b: f32[16] = Relu(a)
    c: f32[16] = Relu(x)
    d: f32[16] = Relu(c)
    y: f32[16] = Add(b, d))";

TEST(Memory, UnorderedStepsShareNothing) {
  const Graph graph = parse_graph(kTwoBranches, {});
  Plan plan;
  plan.streams = {{step(graph, "a"), step(graph, "b"), step(graph, "y", {{StreamId(1), 1}})},
                  {step(graph, "c"), step(graph, "d")}};
  place(graph, plan);
  EXPECT_EQ(plan.arena_bytes, 4 * 64);
}

TEST(Memory, WaitsLetStreamsShareBytes) {
  const Graph graph = parse_graph(kTwoBranches, {});
  Plan plan;
  plan.streams = {{step(graph, "a"), step(graph, "b"), step(graph, "y", {{StreamId(1), 1}})},
                  {step(graph, "c", {{StreamId(0), 1}}), step(graph, "d")}};
  place(graph, plan);
  EXPECT_EQ(plan.arena_bytes, 3 * 64);
}

TEST(Memory, ViewsShareTheirInputsBuffer) {
  const Graph graph = parse_graph(R"(
      x: f32[4,8]
      a: f32[4,8] = Relu(x)
      r: f32[32] = Reshape(a, s: i64[1] = {32}) <view>
      b: f32[32] = Relu(r)
      y: f32[32] = Add(b, r))",
                                  {});
  Plan plan = on_one_stream(graph);
  place(graph, plan);
  EXPECT_EQ(plan.arena_bytes, 256);
  EXPECT_EQ(offset(graph, plan, "a"), offset(graph, plan, "r"));
  EXPECT_NE(offset(graph, plan, "b"), offset(graph, plan, "r"));
}

TEST(Memory, ConcatInputsLieInTheirSlices) {
  const Graph graph = parse_graph(R"(
      x: f32[2,16]
      a: f32[2,16] = Relu(x)
      b: f32[2,32] = Tile(x)
      c: f32[2,48] = Concat(a, b) axis=1 <view>
      d: f32[2,48] = Relu(c)
      y: f32[2,48] = Relu(d))",
                                  {});
  Plan plan = on_one_stream(graph);
  place(graph, plan);
  const auto placement = [&](std::string_view name) {
    return plan.placements[graph.find(name).at()];
  };
  const std::int64_t base = placement("c").offset;
  EXPECT_EQ(placement("c"), (Placement{base, {}}));
  EXPECT_EQ(placement("a"), (Placement{base, {192, 4}}));
  EXPECT_EQ(placement("b"), (Placement{base + 64, {192, 4}}));
  EXPECT_EQ(plan.arena_bytes, 2 * 384);
}

TEST(Memory, AValueCannotLieInTwoConcats) {
  const Graph graph = parse_graph(R"(
      x: f32[4]
      a: f32[4] = Relu(x)
      b: f32[4] = Relu(x)
      c: f32[8] = Concat(a, b) axis=0 <view>
      d: f32[8] = Concat(b, a) axis=0 <view>
      y: f32[8] = Add(c, d))",
                                  {});
  Plan plan = on_one_stream(graph);
  try {
    place(graph, plan);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    EXPECT_STREQ(error.what(),
                 "value 'd' would have to lie in two places: one of the views that join it to "
                 "others must be lowered as a copy");
  }
}

TEST(Memory, PacksAHundredThousandSteps) {
  Graph graph;
  ValueId value = graph.add_input("x", {ElementType::F32, {16}});
  for (int i = 0; i < 100'000; ++i) {
    Node node;
    node.op = "Relu";
    node.inputs = {value};
    value = graph.node(graph.add_node(std::move(node), {{ElementType::F32, {16}}})).outputs[0];
  }
  graph.add_output(value);
  Plan plan = on_one_stream(graph);
  place(graph, plan);
  EXPECT_EQ(plan.arena_bytes, 128);
}

}  // namespace
}  // namespace braid
