#include "plan/json.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/text.h"
#include "plan/memory.h"

namespace braid {
namespace {

class PlanJson : public testing::Test {
 protected:
  PlanJson() {
    plan.graph = hash(graph, HashWeights::TypesOnly);
    plan.device = "cpu";
    plan.scheduler = "by hand";
    const auto step = [&](std::string_view output) {
      Step s;
      s.node = graph.value(graph.find(output)).producer;
      return s;
    };
    Step first = step("b");
    first.parts = 2;
    first.cut = {0, 1};
    Step second = first;
    second.part = 1;
    second.waits = {{StreamId(0), 0}};
    Step join = step("c 1");
    join.waits = {{StreamId(1), 0}};
    plan.streams = {{step("a"), first, join, step("y")}, {second}};
    place(graph, plan);
  }

  std::string error_of(std::string_view text) const {
    try {
      plan_from_json(graph, text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Model) << error.what();
      EXPECT_EQ(error.notes().back(), "while reading a Plan");
      return error.message();
    }
    return "no error";
  }
  /// The error after a piece of the right text was replaced.
  std::string error_after(std::string_view old, std::string_view with) const {
    std::string text = to_json(graph, plan);
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old << " is not in " << text;
    return error_of(text.replace(at, old.size(), with));
  }

  Graph graph = parse_graph(R"(
      x: f32[4,8]
      a: f32[4,8] = Relu(x)
      b: f32[4,8] = Relu(a) <k scratch=100 cut=0/1>
      "c 1": f32[4,16] = Concat(a, b) axis=1
      y: f32[4,16] = Relu("c 1"))",
                            {});
  Plan plan;
};

TEST_F(PlanJson, HasAStepAndAValuePerLine) {
  EXPECT_EQ(to_json(graph, plan), R"({
  "format": "braid-plan",
  "version": 1,
  "graph": ")" + to_string(plan.graph) +
                                      R"(",
  "inputs": {"x":"f32[4,8]"},
  "device": "cpu",
  "scheduler": "by hand",
  "arena_bytes": 512,
  "streams": [
    [
      {"node":"a"},
      {"node":"b","part":0,"parts":2,"axis":0,"grain":1,"scratch":0,"by":"k"},
      {"node":"c 1","waits":[{"node":"b","part":1}]},
      {"node":"y"}
    ],
    [
      {"node":"b","part":1,"parts":2,"axis":0,"grain":1,"waits":["a"],"scratch":128}
    ]
  ],
  "values": {
    "a": {"offset":256},
    "b": {"offset":384},
    "c 1": {"offset":0}
  }
}
)");
}

TEST_F(PlanJson, ComesBackAsItWent) {
  EXPECT_EQ(plan_from_json(graph, to_json(graph, plan)), plan);
}

TEST_F(PlanJson, TellsHowNodesAreRunBeforeThereIsAGraph) {
  const std::map<std::string, std::string> expected = {{"b", "k"}};
  EXPECT_EQ(implementations_in_plan(to_json(graph, plan)), expected);
  const std::string error = error_after("\"by\":\"k\"", "\"by\":\"m\"");
  EXPECT_NE(error.find("run by 'k', got 'm'"), std::string::npos) << error;
}

TEST_F(PlanJson, KeepsStrides) {
  plan.arena_bytes = 4096;
  plan.placements[graph.find("a").at()] = {1024, {64, 4}};
  const Plan back = plan_from_json(graph, to_json(graph, plan));
  EXPECT_EQ(back, plan);
}

TEST(PlanJsonNames, ThatAreNotTextStandAsNumbers) {
  Graph graph;
  const TensorType type{ElementType::F32, {4}};
  ValueId value = graph.add_input("x", type);
  for (const std::string name : {"\xff", "#0", "\"quoted\"\n", "é"}) {
    Node node;
    node.op = "Relu";
    node.inputs = {value};
    value = graph.node(graph.add_node(std::move(node), {type}, {name})).outputs[0];
  }
  graph.add_output(value);
  Plan plan;
  plan.graph = hash(graph, HashWeights::TypesOnly);
  plan.streams.resize(1);
  for (NodeId id : graph.node_ids()) plan.streams[0].emplace_back().node = id;
  place(graph, plan);
  const std::string text = to_json(graph, plan);
  EXPECT_NE(text.find(R"({"node":"#1"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"node":"#2"})"), std::string::npos) << text;
  EXPECT_EQ(plan_from_json(graph, text), plan);
}

TEST_F(PlanJson, RefusesAPlanThatVerifyRefuses) {
  EXPECT_EQ(error_after(R"(,"waits":["a"])", ""),
            "part 1 of 2 of 'b' (Relu) at streams[1][0] reads value 'a' but does not come after "
            "'a' (Relu) at streams[0][0], which writes it: it must wait for streams[0][0]");
}

TEST_F(PlanJson, SaysWhereItIsWrong) {
  EXPECT_EQ(error_after("braid-plan", "nobody's"), "format: expected 'braid-plan', got 'nobody's'");
  EXPECT_EQ(error_after("\"version\": 1", "\"version\": 2"),
            "version: this Braid reads version 1 only");
  EXPECT_EQ(error_after("\"device\": \"cpu\"", "\"device\": 5"),
            "device: expected a text, got a whole number");
  EXPECT_EQ(error_after("\"device\"", "\"gadget\""), "unknown key 'gadget'");
  EXPECT_EQ(error_after(to_string(plan.graph), "xyz"), "graph: expected 32 hexadecimal digits");
  EXPECT_EQ(error_after(to_string(plan.graph), std::string(32, 'g')),
            "graph: expected 32 hexadecimal digits");
  EXPECT_EQ(error_after("\"arena_bytes\": 512", "\"arena_bytes\": -1"),
            "arena_bytes: expected a whole number from 0 to 9223372036854775807, got -1");
}

TEST_F(PlanJson, SaysWhichStepIsWrong) {
  EXPECT_EQ(error_after(R"({"node":"y"})", R"({"node":"q"})"),
            "streams[0][3].node: the graph has no value 'q'");
  EXPECT_EQ(error_after(R"({"node":"y"})", R"({"node":"x"})"),
            "streams[0][3].node: 'x' is not the first output of a node");
  EXPECT_EQ(error_after(R"({"node":"y"})", R"({"node":"#99"})"),
            "streams[0][3].node: the graph has no value '#99'");
  EXPECT_EQ(error_after(R"({"node":"y"})", R"({"node":"y","stream":0})"),
            "streams[0][3]: unknown key 'stream'");
  EXPECT_EQ(error_after(R"({"node":"y"})", R"({"node":"a"})"),
            "streams[0][3]: this step already stands at streams[0][0]");
  EXPECT_EQ(error_after(R"("part":0,"parts":2)", R"("part":2,"parts":2)"),
            "streams[0][1].part: expected a whole number from 0 to 1, got 2");
  EXPECT_EQ(error_after(R"("part":0,"parts":2,)", R"("part":0,)"),
            "streams[0][1]: 'part' needs 'parts'");
}

TEST_F(PlanJson, SaysWhichWaitIsWrong) {
  EXPECT_EQ(error_after(R"(["a"])", R"(["b"])"),
            "streams[1][0].waits[0]: 'b' (Relu) is cut: say which part as {\"node\": …, \"part\": "
            "…}");
  EXPECT_EQ(error_after(R"(["a"])", R"(["a",7])"),
            "streams[1][0].waits[1]: expected an object, got a whole number");
  EXPECT_EQ(error_after(R"([{"node":"b","part":1}])", R"([{"node":"b","part":5}])"),
            "streams[0][2].waits[0]: no stream has part 5 of 'b' (Relu)");
}

TEST_F(PlanJson, SaysWhichValueIsWrong) {
  EXPECT_EQ(error_after(R"("a": {"offset":256})", R"("q": {"offset":256})"),
            "values: the graph has no value 'q'");
  EXPECT_EQ(error_after(R"("a": {"offset":256})", R"("a": {"offset":256.5})"),
            "values.a.offset: expected a whole number, got a fraction or a number that is too "
            "large");
  EXPECT_EQ(error_after(R"("a": {"offset":256})", R"("a": {"offset":256},"#1": {"offset":256})"),
            "values.a: the value has a place already");
}

TEST_F(PlanJson, RefusesHostileText) {
  EXPECT_EQ(error_of(std::string(100'000, '[')), "the JSON is nested more than 16 levels deep");
  EXPECT_EQ(error_of("[]"), "expected an object, got a list");
  EXPECT_EQ(error_of("{}"), "the key 'format' is missing");
  EXPECT_EQ(error_after("\"device\": \"cpu\"", "\"device\": \"cpu\", \"device\": \"cpu\""),
            "the JSON has the key 'device' twice in one object");
  EXPECT_EQ(error_after(R"("offset":256)", R"("offset":9223372036854775807)").substr(0, 9),
            "value 'a'");
  // Cut anywhere, the text is an error and nothing worse.
  const std::string text = to_json(graph, plan);
  for (std::size_t n = 0; n + 2 < text.size(); ++n)
    EXPECT_NE(error_of(text.substr(0, n)), "no error");
}

TEST_F(PlanJson, KeepsPrioritiesAndVariants) {
  plan.streams[0][0].priority = 3;
  plan.streams[1][0].way = 2;
  EXPECT_EQ(plan_from_json(graph, to_json(graph, plan)), plan);
}

}  // namespace
}  // namespace braid
