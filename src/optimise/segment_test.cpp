#include "optimise/segment.h"

#include <unordered_map>

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/testing/random_graph.h"
#include "optimise/partition.h"
#include "optimise/testing/blocks.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

NodeId producer(const Graph& graph, std::string_view name) {
  return graph.value(graph.find(name)).producer;
}

Segment cut_out_named(const Graph& graph, const std::vector<std::string_view>& names) {
  std::vector<NodeId> nodes;
  for (const auto name : names) nodes.push_back(producer(graph, name));
  return cut_out(graph, NodePlaces(graph), nodes);
}

double id_time(const Graph&, NodeId id) { return static_cast<double>(1 + id.at() * 5 % 7); }

TEST(CutOut, KeepsNamesAndConstants) {
  const Graph graph = parse(R"(
      x: f32[1,8,4,4]
      a = Relu(x)
      b = Conv(a, w: f32[8,8,1,1])
      c = Add(b, x)
      d = Relu(b)
      return c, d)");
  const Segment segment = cut_out_named(graph, {"b", "c"});
  verify(segment.graph);
  EXPECT_EQ(print(segment.graph), print(parse(R"(
      a: f32[1,8,4,4]
      x: f32[1,8,4,4]
      b = Conv(a, w: f32[8,8,1,1])
      c = Add(b, x)
      return b, c)")));
  EXPECT_EQ(segment.graph.value(segment.graph.find("w")).constant.bytes().data(),
            graph.value(graph.find("w")).constant.bytes().data());
  EXPECT_EQ(segment.nodes, (std::vector{producer(graph, "b"), producer(graph, "c")}));
  EXPECT_EQ(segment.graph.value(segment.graph.find("a")).level, 1);
  EXPECT_EQ(segment.graph.value(segment.graph.find("x")).level, 0);
}

TEST(CutOut, OfAllIsTheGraph) {
  const Graph graph = two_cells();
  const Segment segment = cut_out(graph, NodePlaces(graph), graph.node_ids());
  expect_same_outputs(graph, segment.graph, "cut out");
}

TEST(CutOut, PiecesOneAfterAnotherComputeTheWhole) {
  for (const Graph& graph : {concat_block(), grouped_block()}) {
    const std::vector<Tensor> inputs = whole_inputs(graph);
    std::unordered_map<std::string, Tensor> known;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      known[graph.value(graph.inputs()[i]).name] = inputs[i];
    const NodePlaces places(graph);
    for (const Part& part : partition(graph, match_bonds(graph), {.size_lower = 3})) {
      const Graph piece = cut_out(graph, places, part).graph;
      std::vector<Tensor> piece_inputs;
      for (const ValueId input : piece.inputs())
        piece_inputs.push_back(known.at(piece.value(input).name));
      const std::vector<Tensor> results = outputs_of(piece, piece_inputs);
      for (std::size_t i = 0; i < results.size(); ++i) known[piece.outputs()[i].name] = results[i];
    }
    const std::vector<Tensor> expected = outputs_of(graph, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(identical(known.at(graph.value(graph.outputs()[i].value).name), expected[i]));
  }
}

TEST(CutOut, GivesEqualPiecesEqualIds) {
  const Graph graph = two_cells();
  const Segment one = cut_out_named(graph, {"a1", "b1", "c1", "j1", "r1"});
  const Segment two = cut_out_named(graph, {"r2", "j2", "c2", "b2", "a2"});
  EXPECT_EQ(to_string(hash(one.graph, HashWeights::TypesOnly)),
            to_string(hash(two.graph, HashWeights::TypesOnly)));
  ASSERT_EQ(one.graph.node_limit(), two.graph.node_limit());
  for (const NodeId id : one.graph.node_ids()) {
    EXPECT_EQ(one.graph.node(id).inputs, two.graph.node(id).inputs);
    EXPECT_EQ(one.graph.node(id).outputs, two.graph.node(id).outputs);
  }
  EXPECT_NE(print(one.graph), print(two.graph));
}

TEST(CutOut, LeavesNothingToTidy) {
  const Graph graph = canonicalise(zoo::build("nasnet-a-mobile")).graph;
  const NodePlaces places(graph);
  const auto parts = partition(graph, match_bonds(graph));
  for (const Part& part : parts) {
    const Graph piece = cut_out(graph, places, part).graph;
    EXPECT_EQ(to_string(hash(tidy(piece), HashWeights::TypesOnly)),
              to_string(hash(piece, HashWeights::TypesOnly)))
        << print(piece);
  }
}

TEST(Surroundings, TellTheLongestPathOfTheWhole) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Graph graph = random_graph(seed, 30);
    const RunningCosts costs(graph, id_time);
    const auto parts = partition(graph, {}, {.size_lower = 9});
    for (const Part& part : parts) {
      const Segment segment = cut_out(graph, NodePlaces(graph), part);
      const NodeTime own_time = [&](const Graph&, NodeId id) {
        return id_time(graph, segment.nodes[id.at()]);
      };
      double first = 1e9;
      for (const ValueId input : segment.graph.inputs())
        first =
            std::min(first, costs.arrival_us(graph, graph.find(segment.graph.value(input).name)));
      double shortest = 1e9;
      for (const GraphOutput& output : segment.graph.outputs()) {
        double tail = 0;
        for (const NodeId reader : graph.value(graph.find(output.name)).consumers)
          if (std::ranges::find(segment.nodes, reader) == segment.nodes.end())
            tail = std::max(tail, costs.time_us(reader) + costs.tail_us(reader));
        shortest = std::min(shortest, tail);
      }
      double sum = 0;
      for (const NodeId id : segment.nodes) sum += id_time(graph, id);
      const Surroundings around = surroundings_of(segment, graph, costs);
      EXPECT_EQ(mixed_cost_us(segment.graph, own_time, around, 1) - sum + first + shortest,
                costs.critical_path_us());
      EXPECT_EQ(mixed_cost_us(segment.graph, own_time, around, 0), sum);
    }
  }
}

}  // namespace
}  // namespace braid
