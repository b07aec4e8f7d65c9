#include "rewrite/rule.h"

#include "base/error.h"
#include "graph/hash.h"
#include "rewrite/canonical/rules.h"
#include "rewrite/testing/canonicalised.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

std::vector<Rule> canonical_rules() {
  return {cancel_split_concat(),  collapse_reshapes(), collapse_transposes(), drop_expands(),
          einsum_products(),      fold_batch_norm(),   fold_constants(),      fold_pads(),
          fold_scale(),           fuse_activation(),   fuse_bias(),           fuse_residual(),
          join_branches(),        lift_gemms(),        merge_concats(),       recognise_gelu(),
          recognise_layer_norm(), remove_identities()};
}

std::vector<Match> all_matches(const Rule& rule, const Graph& graph) {
  std::vector<Match> all;
  const NodePlaces places(graph);
  for (NodeId id : graph.nodes_in_order())
    for (Match& match : matches_at(rule, {graph, id, places})) all.push_back(std::move(match));
  return all;
}

TEST(Rule, EveryMatchCanBeAppliedToTheGraphInWhichItWasListed) {
  int applied = 0;
  for (const zoo::ZooModel& model : zoo::models()) {
    if (model.name == "nasnet-a-large" || model.name == "bert-base") continue;
    const Graph graph = zoo::build(model.name);
    const Hash128 before = hash(graph, HashWeights::TypesOnly);
    for (const Rule& rule : canonical_rules()) {
      const std::vector<Match> found = all_matches(rule, graph);
      for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 3); ++i) {
        Allowance allowance = allowance_of(graph);
        const auto edit = apply(rule, graph, found[i], allowance);
        ASSERT_TRUE(edit) << rule.name;
        EXPECT_EQ(edit->rule(), rule.name);
        ++applied;
        Graph changed = graph;
        changed.apply(*edit);
        EXPECT_NE(hash(changed, HashWeights::TypesOnly), before)
            << rule.name << " on " << model.name;
      }
    }
    EXPECT_EQ(hash(graph, HashWeights::TypesOnly), before) << model.name;
  }
  EXPECT_GT(applied, 10) << "the zoo has too little to match";
}

/// Puts the first or, if that is not allowed, the second input in the place of a Sum.
Rule pick_input() {
  return {"pick-input",
          "for the test",
          {"Sum"},
          [](const Site& site) {
            std::vector<Match> found;
            for (ValueId input : site.node().inputs)
              found.push_back({.anchor = site.anchor, .values = {input}});
            return found;
          },
          [](const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
            if (graph.value(match.values[0]).name == "x" && !allowance.spend(1, 0)) return false;
            edit.replace(graph.node(match.anchor).outputs[0], match.values[0]);
            return true;
          }};
}

TEST(Rule, ListsAllMatchesOfAnAnchor) {
  const Graph graph = parse("x: f32[2]\nz: f32[2]\ns = Sum(x, z)\ny = Relu(s)");
  const std::vector<Match> found = all_matches(pick_input(), graph);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].anchor, found[1].anchor);
  EXPECT_EQ(graph.value(found[1].values[0]).name, "z");
}

TEST(Rule, TheFirstMatchThatIsAllowedIsTaken) {
  const Graph graph = parse("x: f32[2]\nz: f32[2]\ns = Sum(x, z)\ny = Relu(s)");
  for (const auto& [bytes, expected] : {std::pair<std::int64_t, std::string>(1, "x"), {0, "z"}}) {
    Graph changed = graph;
    Allowance allowance{.bytes = bytes, .work = 0};
    EXPECT_EQ(apply_everywhere(pick_input(), changed, allowance), 1);
    const Node& relu = changed.node(changed.value(changed.find("y")).producer);
    EXPECT_EQ(changed.value(relu.inputs[0]).name, expected);
  }
}

TEST(Rule, APassDoesNotVisitWhatItMade) {
  Rule twice = pick_input();
  twice.operators = {"Relu"};
  twice.matches = [](const Site& site) { return std::vector<Match>{{.anchor = site.anchor}}; };
  twice.build = [](const Graph& graph, const Match& match, Allowance&, GraphEdit& edit) {
    const Node& old = graph.node(match.anchor);
    Node again;
    again.op = "Relu";
    again.inputs = {old.inputs[0]};
    edit.replace(old.outputs[0],
                 edit.add_node(std::move(again), {graph.value(old.outputs[0]).type})[0]);
    return true;
  };
  Graph graph = parse("x: f32[2]\na = Relu(x)\ny = Relu(a)");
  Allowance allowance;
  EXPECT_EQ(apply_everywhere(twice, graph, allowance), 2);
}

TEST(NodePlaces, NodesOfOneLevelStandTogether) {
  const Graph graph = parse(R"(
      x: f32[2]
      a = Relu(x)
      b = Neg(a)
      c = Neg(x)
      d = Add(b, c))");
  const NodePlaces places(graph);
  const auto maker = [&](std::string_view name) { return graph.value(graph.find(name)).producer; };
  const auto level = [&](int i) {
    const auto nodes = places.at_level(i);
    return std::vector<NodeId>(nodes.begin(), nodes.end());
  };
  EXPECT_EQ(level(1), (std::vector{maker("a"), maker("c")}));
  EXPECT_EQ(level(2), std::vector{maker("b")});
  EXPECT_EQ(level(3), std::vector{maker("d")});
  EXPECT_TRUE(level(0).empty());
  EXPECT_TRUE(level(4).empty());
}

TEST(NodePlaces, ANewNodeStandsWhereItsAnchorStood) {
  Graph graph = parse("x: f32[2]\na = Relu(x)\nb = Neg(a)\ny = Abs(b)");
  NodePlaces places(graph);
  const NodeId neg = graph.value(graph.find("b")).producer;
  EXPECT_EQ(places.level(neg), 2);
  EXPECT_EQ(places.position(neg), 1);
  GraphEdit edit("test");
  Node exp;
  exp.op = "Exp";
  exp.inputs = {graph.find("a")};
  edit.replace(graph.find("b"),
               edit.add_node(std::move(exp), {graph.value(graph.find("b")).type})[0]);
  graph.apply(edit);
  places.follow_edit(neg);
  const NodeId made = graph.value(graph.find("b")).producer;
  EXPECT_EQ(places.level(made), 2);
  EXPECT_EQ(places.position(made), 1);
  EXPECT_EQ(places.level(graph.find("y")), 3);
}

TEST(NodePlaces, ListsTheNodesOfALevel) {
  const Graph graph = parse("x: f32[2]\na = Relu(x)\nb = Neg(a)\nc = Abs(x)\ny = Add(b, c)");
  const NodePlaces places(graph);
  const auto at_level = [&](int level) {
    std::string ops;
    for (const NodeId id : places.at_level(level)) ops += graph.node(id).op + " ";
    return ops;
  };
  EXPECT_EQ(at_level(0), "");
  EXPECT_EQ(at_level(1), "Relu Abs ");
  EXPECT_EQ(at_level(2), "Neg ");
  EXPECT_EQ(at_level(3), "Add ");
  EXPECT_EQ(at_level(4), "");
}

}  // namespace
}  // namespace braid
