#include "pipeline/predict.h"

#include <gtest/gtest.h>

#include "devices/open.h"
#include "graph/text.h"
#include "plan/happens_before.h"
#include "plan/one_stream.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

TEST(TimelineOf, TakesStepsFromTheirEvents) {
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
  const Timeline timeline = timeline_of(graph, plan, trace);
  EXPECT_DOUBLE_EQ(timeline.end_us, 9);
  ASSERT_EQ(timeline.streams[0].size(), 3U);
  EXPECT_DOUBLE_EQ(timeline.streams[0][0].begin_us, 1);
  EXPECT_DOUBLE_EQ(timeline.streams[0][0].end_us, 5);
  EXPECT_DOUBLE_EQ(timeline.streams[0][1].begin_us, 5) << "the view";
  EXPECT_DOUBLE_EQ(timeline.streams[0][1].end_us, 5);
  EXPECT_DOUBLE_EQ(timeline.streams[0][2].begin_us, 6);
}

TEST(Predict, WhoComesLaterBeginsLater) {
  for (const char* name : {"cpu", "sim:t4"}) {
    SCOPED_TRACE(name);
    const auto device = open_device(name, {.threads = 2});
    PrepareOptions options;
    options.scheduler = "opara";
    options.compile = false;
    options.profile.use_cache = false;
    const Prepared prepared = prepare(zoo::build("squeezenet-1.1"), *device, options);
    const Prediction prediction = predict(prepared, *device);
    EXPECT_EQ(prediction.simulated.has_value(), device->spec().name != "cpu");
    EXPECT_GT(prediction.timeline.end_us, 0);
    const HappensBefore order(prepared.lowered, prepared.plan);
    for (StepRef ref : order.order()) {
      EXPECT_LE(prediction.timeline.at(ref).end_us, prediction.timeline.end_us + 1e-6);
      for (StepRef wait : step_at(prepared.plan, ref).waits)
        EXPECT_LE(prediction.timeline.at(wait).end_us, prediction.timeline.at(ref).begin_us + 1e-6);
    }
  }
}

}  // namespace
}  // namespace braid
