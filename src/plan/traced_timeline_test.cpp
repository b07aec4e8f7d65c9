#include "plan/traced_timeline.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "plan/one_stream.h"

namespace braid {
namespace {

TEST(TracedTimeline, TakesStepsFromTheirEvents) {
  const Graph graph = parse_graph(R"(
      x: f32[64]
      a: f32[64] = Relu(x) <k>
      v: f32[64] = Identity(a) <view>
      b: f32[64] = Neg(v) <k>)",
                                  {});
  const Plan plan = one_stream(graph, "cpu");
  Trace trace;
  const auto add = [&](std::string_view output, double begin, double end) {
    TraceEvent event{.name = "", .category = "k", .begin_us = begin, .end_us = end};
    event.node = graph.value(graph.find(output)).producer.index;
    trace.events.push_back(event);
  };
  add("a", 3, 5);
  add("a", 1, 4);  // another of its kernels
  add("b", 6, 9);
  const Timeline timeline = traced_timeline(graph, plan, trace);
  EXPECT_DOUBLE_EQ(timeline.end_us, 9);
  ASSERT_EQ(timeline.streams[0].size(), 3U);
  EXPECT_DOUBLE_EQ(timeline.streams[0][0].begin_us, 1);
  EXPECT_DOUBLE_EQ(timeline.streams[0][0].end_us, 5);
  EXPECT_DOUBLE_EQ(timeline.streams[0][1].begin_us, 5) << "the view";
  EXPECT_DOUBLE_EQ(timeline.streams[0][1].end_us, 5);
  EXPECT_DOUBLE_EQ(timeline.streams[0][2].begin_us, 6);
}

}  // namespace
}  // namespace braid
