#include "plan/memory.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/text.h"
#include "plan/testing/steps.h"
#include "plan/verify.h"

namespace braid {
namespace {

Plan on_one_stream(const Graph& graph) {
  Plan plan;
  plan.streams.resize(1);
  for (NodeId id : graph.node_ids()) {
    plan.streams[0].emplace_back();
    plan.streams[0].back().node = id;
  }
  return plan;
}

Plan with_hash(const Graph& graph, Plan plan) {
  plan.graph = hash(graph, HashWeights::TypesOnly);
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

/// The most bytes in use at once on one stream: no packing can do with fewer.
std::int64_t peak_bytes(const Graph& graph) {
  std::vector<std::int64_t> growth(graph.node_limit() + 1, 0);
  for (ValueId id : graph.value_ids()) {
    if (!lives_in_arena(graph, id)) continue;
    const Value& value = graph.value(id);
    NodeId last = value.producer;
    for (NodeId consumer : value.consumers) last = std::max(last, consumer);
    growth[value.producer.at()] += byte_size(value.type);
    growth[last.at() + 1] -= byte_size(value.type);
  }
  std::int64_t now = 0;
  std::int64_t peak = 0;
  for (std::int64_t change : growth) peak = std::max(peak, now += change);
  return peak;
}

TEST(Memory, StaysNearTheLeastThatIsPossible) {
  constexpr std::uint64_t kSeed = 3;
  std::mt19937_64 engine(kSeed);
  double excess = 0;
  constexpr int kCases = 100;
  for (int n = 0; n < kCases; ++n) {
    Graph graph;
    std::vector<ValueId> values = {graph.add_input("x", {ElementType::F32, {16}})};
    std::int64_t sum = 0;
    for (int i = 0; i < 80; ++i) {
      Node node;
      node.op = "Mix";
      const std::size_t recent = std::min<std::size_t>(values.size(), 6);
      node.inputs = {values.back(), values[values.size() - 1 - engine() % recent]};
      const TensorType type{ElementType::F32,
                            {16 * (1 + static_cast<std::int64_t>(engine() % 20))}};
      sum += byte_size(type);
      values.push_back(graph.node(graph.add_node(std::move(node), {type})).outputs[0]);
    }
    graph.add_output(values.back());
    Plan plan = on_one_stream(graph);
    place(graph, plan);
    ASSERT_GE(plan.arena_bytes, peak_bytes(graph)) << "seed " << kSeed << ", case " << n;
    ASSERT_LE(plan.arena_bytes, sum) << "seed " << kSeed << ", case " << n;
    EXPECT_LE(static_cast<double>(plan.arena_bytes), 1.35 * static_cast<double>(peak_bytes(graph)))
        << "seed " << kSeed << ", case " << n;
    excess += static_cast<double>(plan.arena_bytes) / static_cast<double>(peak_bytes(graph)) - 1;
    verify(graph, with_hash(graph, plan));
  }
  EXPECT_LT(excess / kCases, 0.08);
}

TEST(Memory, IsDeterministic) {
  const Graph graph = parse_graph(kTwoBranches, {});
  Plan once = on_one_stream(graph);
  place(graph, once);
  Plan twice = once;
  place(graph, twice);
  EXPECT_EQ(once, twice);
}

TEST(Memory, PlacesAndVerifiesAHundredThousandSteps) {
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
  EXPECT_NO_THROW(verify(graph, with_hash(graph, plan)));
}

}  // namespace
}  // namespace braid
