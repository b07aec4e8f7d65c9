#include "report/chrome_trace.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cost/roofline.h"
#include "graph/hash.h"
#include "graph/text.h"
#include "plan/memory.h"
#include "plan/verify.h"

namespace braid {
namespace {

using nlohmann::json;

/// a and b on stream 0, c, which waits for a, and y, which waits for b, on stream 1.
class ChromeTraceTest : public testing::Test {
 protected:
  explicit ChromeTraceTest(const std::string& first = "a") {
    graph = parse_graph(R"(
        x: f32[64]
        a: f32[64] = Relu(x) <k> @")" +
                            first + R"("
        b: f32[64] = Neg(a) <k>
        c: f32[64] = Neg(a) <k>
        y: f32[64] = Add(b, c) <k>)",
                        {});
    plan.streams = {{step("a"), step("b")}, {step("c"), step("y")}};
    plan.streams[1][0].waits = {{StreamId(0), 0}};
    plan.streams[1][1].waits = {{StreamId(0), 1}};
    plan.graph = hash(graph, HashWeights::TypesOnly);
    plan.scheduler = "by hand";
    place(graph, plan);
    verify(graph, plan);
    times({1, 5}, {5, 12}, {6, 10}, {13, 20});
  }

  struct Time {
    double begin_us;
    double end_us;
  };
  void times(Time a, Time b, Time c, Time y) {
    trace.events = {event("a", 0, a), event("b", 0, b), event("c", 1, c), event("y", 1, y)};
  }
  NodeId node(std::string_view output) const { return graph.value(graph.find(output)).producer; }
  Step step(std::string_view output) const {
    Step made;
    made.node = node(output);
    return made;
  }
  TraceEvent event(std::string_view output, int stream, Time time) const {
    return {.name = "?",
            .category = "?",
            .stream = stream,
            .begin_us = time.begin_us,
            .end_us = time.end_us,
            .node = node(output).index};
  }

  std::string text() const {
    const DeviceSpec device{.name = "cpu", .streams = 2, .flops_per_us = 1, .bytes_per_us = 1};
    const CostTable costs(std::make_shared<RooflineCostModel>(device));
    return chrome_trace({.model = "m",
                         .hardware = "h",
                         .version = "1",
                         .lowered = graph,
                         .plan = plan,
                         .device = device,
                         .costs = costs},
                        trace);
  }
  /// The events of a phase, in the order of the file.
  std::vector<json> events(const std::string& phase) const {
    std::vector<json> found;
    const json parsed = json::parse(text());
    for (const json& event : parsed["traceEvents"])
      if (event["ph"] == phase) found.push_back(event);
    return found;
  }
  std::vector<std::string> names(const std::string& phase) const {
    std::vector<std::string> found;
    for (const json& event : events(phase)) found.push_back(event["name"]);
    return found;
  }

  Graph graph;
  Plan plan;
  Trace trace;
};

TEST_F(ChromeTraceTest, ProcessAndRowsHaveNamesAndIdsOfTheirOwn) {
  const auto metadata = events("M");
  ASSERT_EQ(metadata.size(), 5U);
  const std::int64_t process = metadata[0]["pid"];
  EXPECT_EQ(metadata[0]["args"]["name"], "Braid m on cpu");
  EXPECT_EQ(metadata[1]["args"]["name"], "lane 0");
  EXPECT_EQ(metadata[1]["tid"], process + 1);
  EXPECT_EQ(metadata[3]["args"]["name"], "lane 1");
  EXPECT_EQ(metadata[3]["tid"], process + 2);
}

TEST_F(ChromeTraceTest, IdsAreOthersInATraceOfOtherTimes) {
  const auto process = [&] { return events("M")[0]["pid"].get<std::int64_t>(); };
  const std::int64_t before = process();
  EXPECT_EQ(process(), before);
  trace.events[3].end_us += 0.001;
  EXPECT_GT(std::abs(process() - before), 4);
}

TEST_F(ChromeTraceTest, SlicesTellTheNodeAndWhatItWasExpectedToTake) {
  const json slice = events("X")[0];
  EXPECT_EQ(slice["cat"], "Relu");
  EXPECT_EQ(slice["ts"], 1.0);
  EXPECT_EQ(slice["dur"], 4.0);
  const json& args = slice["args"];
  EXPECT_EQ(args["node"], (json{{"name", "a"},
                                {"operator", "Relu"},
                                {"inputs", {"x: f32[64]"}},
                                {"outputs", {"a: f32[64]"}},
                                {"flops", 64.0},
                                {"bytes_read", 256},
                                {"bytes_written", 256},
                                {"implementation", "k"}}));
  EXPECT_EQ(args["time"], "measured");
  EXPECT_EQ(args["expected_from"], "model");
  EXPECT_GT(args["expected_us"], 0);
}

TEST_F(ChromeTraceTest, ArrowsLeadFromTheEndOfTheAwaitedToTheBeginOfTheWaiting) {
  const auto tails = events("s");
  const auto heads = events("f");
  ASSERT_EQ(tails.size(), 2U);
  ASSERT_EQ(heads.size(), 2U);
  EXPECT_EQ(tails[0]["ts"], 4.999);  // the last moment at which a is open
  EXPECT_EQ(heads[0]["ts"], 6.0);
  EXPECT_EQ(tails[1]["ts"], 11.999);
  EXPECT_EQ(heads[1]["ts"], 13.0);
  EXPECT_EQ(tails[0]["id"], heads[0]["id"]);
  EXPECT_NE(tails[0]["id"], tails[1]["id"]);
  EXPECT_LT(tails[0]["tid"], heads[0]["tid"]);
}

TEST_F(ChromeTraceTest, WaitsSayForWhat) {
  trace.events.push_back({"wait before c", std::string(kWaitCategory), 1, 0, 6});
  const json wait = events("X")[0];
  EXPECT_EQ(wait["name"], "wait before c");
  EXPECT_EQ(wait["args"], (json{{"for", {"a"}}}));
}

TEST_F(ChromeTraceTest, EventsAreInTheOrderOfTime) {
  EXPECT_EQ(names("X"), (std::vector<std::string>{"a", "b", "c", "y"}));
  double last = 0;
  const json parsed = json::parse(text());
  for (const json& event : parsed["traceEvents"]) {
    if (event["ph"] == "M") continue;
    EXPECT_GE(event["ts"].get<double>(), last) << event;
    last = event["ts"];
  }
}

TEST_F(ChromeTraceTest, SlicesOfARowHaveSomeLengthAndDoNotOverlap) {
  const double middle = 1.0 / 3;
  times({0.1, middle}, {middle, 0.9}, {0.4, 0.4}, {0.4, 0.4});
  std::map<std::int64_t, std::int64_t> ends;
  for (const json& slice : events("X")) {
    const std::int64_t begin = std::llround(slice["ts"].get<double>() * 1000);
    const std::int64_t length = std::llround(slice["dur"].get<double>() * 1000);
    EXPECT_GT(length, 0) << slice;
    EXPECT_GE(begin, ends[slice["tid"]]) << slice;
    ends[slice["tid"]] = begin + length;
  }
}

TEST_F(ChromeTraceTest, NamesTheKernelAndCountsSeries) {
  trace.events[0].kernel = "winograd";
  trace.series.push_back({"SMs busy", {{1, 0.5}, {2, 0}}});
  EXPECT_EQ(events("X")[0]["name"], "a [winograd]");
  EXPECT_EQ(events("X")[0]["args"]["kernel"], "winograd");
  const json point = events("C")[0];
  EXPECT_EQ(point["name"], "SMs busy");
  EXPECT_EQ(point["args"], (json{{"share", 0.5}}));
}

TEST_F(ChromeTraceTest, OfNothingIsValidToo) {
  trace.events.clear();
  EXPECT_TRUE(events("X").empty());
}

class ChromeTraceOfOddNames : public ChromeTraceTest {
 protected:
  ChromeTraceOfOddNames() : ChromeTraceTest(R"(a\"b\n\xff</script>é\\)") {}
};

TEST_F(ChromeTraceOfOddNames, IsValidJson) {
  EXPECT_EQ(events("X")[0]["name"], R"(a"b\x0a\xff</script>é\)");
  EXPECT_EQ(text().find(R"(\\)"), std::string::npos);
}

}  // namespace
}  // namespace braid
