#include "report/chart.h"

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/text.h"
#include "plan/memory.h"
#include "plan/verify.h"

namespace braid {
namespace {

using testing::Test;

class ChartTest : public Test {
 protected:
  explicit ChartTest(std::string_view text = R"(
      x: f32[64]
      a: f32[64] = Relu(x) <k>
      b: f32[64] = Neg(a) <k scratch=64 cut=0/16>
      y: f32[64] = Relu(b) <k>)")
      : graph(parse_graph(text, {})) {}

  NodeId node(std::string_view output) const { return graph.value(graph.find(output)).producer; }
  Step step(std::string_view output, int part = 0, int parts = 1) const {
    Step made;
    made.node = node(output);
    made.part = part;
    made.parts = parts;
    if (parts > 1) made.cut = {0, 16};
    return made;
  }
  void finish() {
    plan.graph = hash(graph, HashWeights::TypesOnly);
    place(graph, plan);
    verify(graph, plan);
  }
  TraceEvent event(std::string_view output, int stream, double begin, double end, int part = 0,
                   int parts = 1) const {
    return {.name = "?",
            .category = "?",
            .stream = stream,
            .begin_us = begin,
            .end_us = end,
            .part = part,
            .parts = parts,
            .node = node(output).index};
  }

  /// a and the first part of b on stream 0, the second part and y on stream 1.
  void two_streams() {
    plan.streams = {{step("a"), step("b", 0, 2)}, {step("b", 1, 2), step("y")}};
    plan.streams[1][0].waits = {{StreamId(0), 0}};
    plan.streams[1][1].waits = {{StreamId(0), 1}};
    finish();
    trace.events = {event("a", 0, 1, 5), event("b", 0, 5, 12, 0, 2), event("b", 1, 6, 10, 1, 2),
                    event("y", 1, 13, 20)};
  }

  Graph graph;
  Plan plan;
  Trace trace;
};

TEST_F(ChartTest, SpansComeStreamByStreamWithWhatTheyWaitFor) {
  two_streams();
  std::swap(trace.events[0], trace.events[3]);
  const Chart chart = chart_of(graph, plan, trace, 2);
  ASSERT_EQ(chart.spans.size(), 4U);
  EXPECT_EQ(chart.end_us, 20);
  EXPECT_EQ(chart.spans[0].node, node("a"));
  EXPECT_EQ(chart.spans[2].step, (StepRef{StreamId(1), 0}));
  EXPECT_EQ(chart.spans[2].waits, std::vector<std::int32_t>{0});
  EXPECT_EQ(chart.spans[3].waits, std::vector<std::int32_t>{1});
  EXPECT_TRUE(chart.spans[1].waits.empty());
}

TEST_F(ChartTest, TheCriticalPathGoesBackToWhatEndedLast) {
  two_streams();
  const Chart chart = chart_of(graph, plan, trace, 2);
  EXPECT_EQ(chart.path, (std::vector<std::int32_t>{0, 1, 3}));
  EXPECT_DOUBLE_EQ(chart.path_us(), 4 + 7 + 7);
  trace.events[1].end_us = 8;
  EXPECT_EQ(chart_of(graph, plan, trace, 2).path, (std::vector<std::int32_t>{0, 2, 3}));
}

TEST_F(ChartTest, CountsLanesAtWorkUnlessTheTraceKnowsBetter) {
  two_streams();
  const Chart chart = chart_of(graph, plan, trace, 4);
  ASSERT_EQ(chart.usage.size(), 1U);
  const auto& points = chart.usage[0].points;
  ASSERT_EQ(points.size(), 7U);  // at 1, 5, 6, 10, 12, 13 and 20
  EXPECT_DOUBLE_EQ(points[0].value, 0.25);
  EXPECT_DOUBLE_EQ(points[2].at_us, 6);
  EXPECT_DOUBLE_EQ(points[2].value, 0.5);
  EXPECT_DOUBLE_EQ(points.back().value, 0);
  trace.series = {{"SMs", {{0, 1}}}};
  EXPECT_EQ(chart_of(graph, plan, trace, 4).usage[0].name, "SMs");
}

TEST_F(ChartTest, MemoryIsWhatIsStillNeeded) {
  two_streams();
  const Chart chart = chart_of(graph, plan, trace, 2);
  const auto& points = chart.memory.points;
  const auto at = [&](double us) {
    double value = 0;
    for (const auto& point : points)
      if (point.at_us <= us) value = point.value;
    return value;
  };
  EXPECT_EQ(at(2), 256);                 // a
  EXPECT_EQ(at(5.5), 256 + 256 + 64);    // a, b and the scratch of its first part
  EXPECT_EQ(at(7), 256 + 256 + 2 * 64);  // with that of the second
  EXPECT_EQ(at(11), 256 + 256 + 64);
  EXPECT_EQ(at(14), 256);  // b, until y has ended; y itself is an output
  EXPECT_EQ(at(20), 0);
  EXPECT_EQ(chart.peak_bytes, 640);
  EXPECT_LE(chart.peak_bytes, plan.arena_bytes);
}

TEST_F(ChartTest, WaitEventsAreNoSpans) {
  two_streams();
  trace.events.push_back(event("y", 1, 10, 13));
  trace.events.back().category = kWaitCategory;
  EXPECT_EQ(chart_of(graph, plan, trace, 2).spans.size(), 4U);
}

class ViewChartTest : public ChartTest {
 protected:
  ViewChartTest()
      : ChartTest(R"(
      x: f32[64]
      a: f32[64] = Relu(x) <k>
      v: f32[8,8] = Reshape(a, s: i64[2] = {8,8}) <view>
      b: f32[8,8] = Neg(v) <k>
      y: f32[8,8] = Relu(b) <k>)") {}
};

TEST_F(ViewChartTest, WhoWaitsForAViewWaitsForWhatCameBeforeIt) {
  plan.streams = {{step("a"), step("v")}, {step("b"), step("y")}};
  plan.streams[1][0].waits = {{StreamId(0), 1}};
  finish();
  trace.events = {event("a", 0, 0, 5), event("b", 1, 6, 10), event("y", 1, 10, 12)};
  const Chart chart = chart_of(graph, plan, trace, 2);
  EXPECT_EQ(chart.spans[1].waits, std::vector<std::int32_t>{0});
  EXPECT_EQ(chart.path, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(chart.peak_bytes, 512);  // a, which is also v, and b
}

TEST_F(ViewChartTest, KernelsOfANodeAreSpansOfOneStep) {
  plan.streams = {{step("a"), step("v"), step("b"), step("y")}};
  finish();
  trace.events = {event("a", 0, 0, 2), event("a", 0, 3, 5), event("b", 0, 6, 10),
                  event("y", 0, 10, 12)};
  trace.events[0].kernel = "first";
  trace.events[1].kernel = "second";
  const Chart chart = chart_of(graph, plan, trace, 1);
  ASSERT_EQ(chart.spans.size(), 4U);
  EXPECT_EQ(chart.spans[0].kernel, "first");
  EXPECT_EQ(chart.spans[0].step, chart.spans[1].step);
  EXPECT_EQ(chart.path, (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST_F(ChartTest, ARunOfNothingIsEmpty) {
  two_streams();
  const Chart chart = chart_of(graph, plan, {}, 2);
  EXPECT_TRUE(chart.spans.empty());
  EXPECT_TRUE(chart.path.empty());
  EXPECT_EQ(chart.peak_bytes, 0);
}

}  // namespace
}  // namespace braid
