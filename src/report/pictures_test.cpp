#include "report/pictures.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graph/hash.h"
#include "graph/text.h"
#include "plan/memory.h"
#include "plan/one_stream.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/plan_edges.h"

namespace braid {
namespace {

constexpr std::string_view kHostile = "</script><script>alert(1)</script>";

/// Two branches on two streams, one of them named by an enemy.
class PicturesTest : public testing::Test {
 protected:
  PicturesTest() {
    Graph graph = parse_graph(R"(
        x: f32[16]
        a: f32[16] = Relu(x) <k>
        b: f32[16] = Neg(a) <k> @"</script><script>alert(1)</script>"
        c: f32[16] = Abs(a) <k>
        y: f32[16] = Add(b, c) <k>)",
                              {});
    ReportRun run{.scheduler = "braid", .plan = {}, .chart = {}};
    Plan& plan = run.plan;
    plan.graph = hash(graph, HashWeights::TypesOnly);
    plan.device = "cpu";
    plan.scheduler = "braid";
    plan.streams = {{step(graph, "a"), step(graph, "b")}, {step(graph, "c"), step(graph, "y")}};
    plan.streams[1][0].waits = {{StreamId(0), 0}};
    plan.streams[1][1].waits = {{StreamId(0), 1}};
    place(graph, plan);
    Trace trace;
    for (const auto& [output, begin] : {std::pair("a", 0), {"b", 5}, {"c", 6}, {"y", 11}})
      trace.events.push_back({.name = output,
                              .category = "?",
                              .begin_us = begin + 0.5,
                              .end_us = begin + 4.0,
                              .node = graph.value(graph.find(output)).producer.index});
    run.chart = chart_of(graph, plan, trace, 2);
    run.times_us = {16, 15, 17};
    run.verdict = "reference";
    report.version = "1.2.3";
    report.command = "braid report '</script>'";
    report.device = "cpu";
    report.models.push_back({.name = std::string(kHostile), .lowered = graph, .runs = {run}});
  }

  static Step step(const Graph& graph, std::string_view output) {
    Step made;
    made.node = graph.value(graph.find(output)).producer;
    return made;
  }
  const ReportModel& model() const { return report.models[0]; }
  const Plan& plan() const { return model().runs[0].plan; }

  Report report;
};

TEST_F(PicturesTest, TimelinesOfTwoGraphsCanHaveOneAxis) {
  EXPECT_EQ(timeline_svg(report, model()).find(">20 us<"), std::string::npos);
  report.models[0].least_axis_us = 24;
  EXPECT_NE(timeline_svg(report, model()).find(">20 us<"), std::string::npos);
}

TEST_F(PicturesTest, JsonHasColumnsOfSpans) {
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["format"], "braid-report");
  EXPECT_EQ(json["braid"], "1.2.3");
  const auto& run = json["models"][0]["runs"][0];
  EXPECT_EQ(json["models"][0]["nodes"]["op"], (nlohmann::json{"Relu", "Neg", "Abs", "Add"}));
  EXPECT_EQ(run["spans"]["node"], (nlohmann::json{0, 1, 2, 3}));
  EXPECT_EQ(run["spans"]["stream"], (nlohmann::json{0, 0, 1, 1}));
  EXPECT_EQ(run["spans"]["begin_ns"], (nlohmann::json{500, 5500, 6500, 11500}));
  EXPECT_EQ(run["spans"]["waiting"], (nlohmann::json{2, 3}));
  EXPECT_EQ(run["spans"]["waits_for"], (nlohmann::json{0, 1}));
  EXPECT_EQ(run["path"], (nlohmann::json{0, 2, 3}));
  EXPECT_EQ(run["waits"], 2);
  EXPECT_DOUBLE_EQ(run["time_us"], 15.4);  // the 20th percentile
}

TEST_F(PicturesTest, ARewrittenGraphHasNodesOfItsOwn) {
  EXPECT_EQ(model().label(model().runs[0]), "braid");
  ReportModel& both = report.models[0];
  both.rewriting = ReportRewriting{.lowered = parse_graph("x: f32[4]\nr: f32[4] = Relu(x) <k>", {}),
                                   .rules = {{"merge", 2}},
                                   .reason = "it is faster",
                                   .sum_us = {10, 8}};
  ReportRun rewritten = both.runs[0];
  rewritten.optimised = true;
  rewritten.plan.streams = {{step(both.rewriting->lowered, "r")}};
  const Trace trace{
      .events = {{.name = "r", .category = "?", .begin_us = 1, .end_us = 9, .node = 0}}};
  rewritten.chart = chart_of(both.rewriting->lowered, rewritten.plan, trace, 2);
  both.runs.push_back(rewritten);
  const auto json = nlohmann::json::parse(to_json(report))["models"][0];
  EXPECT_EQ(json["nodes"]["op"].size(), 4U);
  EXPECT_EQ(json["optimised"]["nodes"]["op"], (nlohmann::json{"Relu"}));
  EXPECT_EQ(json["optimised"]["rules"], (nlohmann::json{{"merge", 2}}));
  EXPECT_EQ(json["optimised"]["sum_us"], (nlohmann::json{{"before", 10}, {"after", 8}}));
  EXPECT_EQ(json["runs"][0]["optimised"], false);
  EXPECT_EQ(json["runs"][1]["optimised"], true);
  EXPECT_EQ(json["runs"][1]["spans"]["node"], (nlohmann::json{0}));
  const std::string svg = timeline_svg(report, both);
  EXPECT_NE(svg.find("braid, as given"), std::string::npos);
  EXPECT_NE(svg.find("braid, optimised"), std::string::npos);
}

TEST_F(PicturesTest, NamesStandInThePageAsDataOnly) {
  const std::string page = html_page(report);
  EXPECT_EQ(page.find(kHostile), std::string::npos);
  EXPECT_EQ(page.find("alert(1)</"), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;"), std::string::npos);  // the title
  std::size_t ends = 0;
  for (std::size_t at = page.find("</script"); at != std::string::npos;
       at = page.find("</script", at + 1))
    ++ends;
  EXPECT_EQ(ends, 2U);  // of the data and of the script
}

TEST_F(PicturesTest, ThePageNeedsNothingElse) {
  const std::string page = html_page(report);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  for (std::string_view outside : {"src=", "href=", "@import", "url("})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST_F(PicturesTest, EdgesSayWhyANodeComesAfterAnother) {
  const auto edges = plan_edges(model().lowered, plan());
  const auto find = [&](int from, int to) {
    for (const PlanEdge& edge : edges)
      if (edge.from.index == from && edge.to.index == to) return edge;
    return PlanEdge{};
  };
  ASSERT_EQ(edges.size(), 4U);
  EXPECT_TRUE(find(0, 1).carries && !find(0, 1).waits);
  EXPECT_TRUE(find(0, 2).carries && find(0, 2).waits);
  EXPECT_TRUE(find(1, 3).carries && find(1, 3).waits);
}

TEST_F(PicturesTest, DotColoursStreamsAndDashesWaits) {
  const std::string dot = graph_dot(model().lowered, plan());
  EXPECT_NE(dot.find("n0 -> n1\n"), std::string::npos);
  EXPECT_NE(dot.find("n0 -> n2 [style=dashed]\n"), std::string::npos);
  EXPECT_NE(dot.find("label=\"Abs\\nc\""), std::string::npos);
}

TEST_F(PicturesTest, ANodeThatIsCutHasTheColoursOfAllItsStreams) {
  Plan cut = plan();
  cut.streams[0][1].parts = 2;
  Step other = cut.streams[0][1];
  other.part = 1;
  other.waits = {{StreamId(0), 0}};
  cut.streams[1].insert(cut.streams[1].begin() + 1, other);
  const std::string svg = graph_svg(model().lowered, cut);
  const std::string left = stream_colour(0);
  const std::string right = stream_colour(1);
  EXPECT_NE(svg.find("<linearGradient id=\"cut0\"><stop offset=\"0.0000\" stop-color=\"" + left +
                     "\"/><stop offset=\"0.5000\" stop-color=\"" + left +
                     "\"/><stop offset=\"0.5000\" stop-color=\"" + right +
                     "\"/><stop offset=\"1.0000\" stop-color=\"" + right + "\"/>"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("fill=\"url(#cut0)\""), std::string::npos);
  EXPECT_EQ(svg.find("url(#cut0)"), svg.rfind("url(#cut0)")) << "one node is cut";
  EXPECT_NE(svg.find("Neg in 2"), std::string::npos);
  EXPECT_NE(svg.find("streams 0, 1"), std::string::npos);
  const std::string dot = graph_dot(model().lowered, cut);
  EXPECT_NE(dot.find("fillcolor=\"" + left + ":" + right + "\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("style=striped"), std::string::npos);
}

TEST_F(PicturesTest, SvgEscapesNamesAndIsTheSameEveryTime) {
  for (const std::string& svg :
       {timeline_svg(report, model()), graph_svg(model().lowered, plan())}) {
    EXPECT_TRUE(svg.starts_with("<svg "));
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_NE(svg.find("&lt;/script&gt;"), std::string::npos);
  }
  EXPECT_EQ(graph_svg(model().lowered, plan()), graph_svg(model().lowered, plan()));
}

TEST(Pictures, LargeGraphsAreDrawnWithinBounds) {
  Graph graph;
  ValueId at = graph.add_input("x", {ElementType::F32, {4}});
  for (int i = 0; i < 30'000; ++i) {
    Node relu;
    relu.op = "Relu";
    relu.inputs = {at};
    const NodeId node = graph.add_node(std::move(relu), {{ElementType::F32, {4}}});
    graph.set_lowering(node, {"k", 0, {}});
    at = graph.node(node).outputs[0];
  }
  graph.add_output(at);
  ReportRun run{.scheduler = "sequential", .plan = one_stream(graph, "cpu"), .chart = {}};
  Trace trace;
  for (const Step& step : run.plan.streams[0]) {
    const double begin = static_cast<double>(trace.events.size());
    trace.events.push_back({.name = "",
                            .category = "Relu",
                            .begin_us = begin,
                            .end_us = begin + 1,
                            .node = step.node.index});
  }
  run.chart = chart_of(graph, run.plan, trace, 1);
  EXPECT_LT(graph_svg(graph, run.plan).size(), 12'000'000U);
  EXPECT_LT(graph_dot(graph, run.plan).size(), 12'000'000U);
  Report report;
  report.models.push_back({.name = "chain", .lowered = std::move(graph), .runs = {run}});
  EXPECT_LT(timeline_svg(report, report.models[0]).size(), 4'000'000U);
  EXPECT_LT(html_page(report).size(), 6'000'000U);
}

}  // namespace
}  // namespace braid
