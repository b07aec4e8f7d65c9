#include "rewrite/settle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/text.h"
#include "ops/builder.h"
#include "ops/shared/epilogue.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

Hash128 hash_of(const Graph& graph) { return hash(graph, HashWeights::TypesOnly); }

TEST(Settled, PutsASumWhereReadingAFileWouldPutIt) {
  const Graph graph = parse(R"(
      x: f32[1,4,5,5]
      z: f32[1,4,5,5]
      a = Conv(z, v: f32[4,4,1,1])
      y = Conv(x, w: f32[4,4,3,3], -, a) pads=[1,1,1,1] activation="relu")");
  EXPECT_EQ(print(settled(graph)), print(parse(R"(
      x: f32[1,4,5,5]
      z: f32[1,4,5,5]
      a = Conv(z, v: f32[4,4,1,1])
      Conv = Conv(x, w: f32[4,4,3,3]) pads=[1,1,1,1]
      Add = Add(Conv, a)
      y = Relu(Add))")));
}

TEST(Settled, ChangesNothingTheSecondTime) {
  for (const char* model : {"squeezenet", "t5-small-encoder"}) {
    const Graph canonical = canonicalise(zoo::build(model)).graph;
    const Graph once = settled(canonical);
    EXPECT_EQ(hash_of(once), hash_of(canonical)) << model;
    EXPECT_EQ(hash_of(settled(once)), hash_of(once)) << model;
  }
}

TEST(Settled, KeepsEveryActivationInside) {
  for (const std::string& activation : activation_names()) {
    const Graph graph = parse(fmt::format(R"(
      x: f32[1,4,5,5]
      y = Conv(x, w: f32[4,4,1,1]) activation="{}" activation_alpha=1.0 activation_beta=2.0)",
                                          activation));
    const Graph read = settled(graph);
    ASSERT_EQ(read.node_ids().size(), 1U) << activation;
    EXPECT_EQ(read.node(read.node_ids()[0]).attributes.text("activation", ""), activation);
  }
}

TEST(Settled, NamesOutputsAsAFileDoes) {
  const Graph graph = parse(R"(
      x: f32[1,4]
      y = Relu(x)
      a = Sigmoid(y)
      b = Tanh(y)
      return a as "y"
      return b as "a")");
  EXPECT_EQ(print(settled(graph)), print(parse(R"(
      x: f32[1,4]
      y_1 = Relu(x)
      y = Sigmoid(y_1)
      a = Tanh(y_1)
      return y
      return a)")));
}

}  // namespace
}  // namespace braid
