#include "ops/separable_conv.h"

#include <gtest/gtest.h>

#include "base/testing/kind_of_error.h"
#include "graph/text.h"
#include "ops/builder.h"
#include "ops/catalog.h"
#include "ops/testing/calls.h"

namespace braid {
namespace {

TEST(SeparableConv, IsADepthwiseConvAndThenAPointwiseOne) {
  // Two channels of three pixels, each by two taps, then their difference.
  const Tensor x = floats({1, 2, 3}, {1, 2, 3, 10, 20, 40});
  const Tensor taps = floats({2, 1, 2}, {1, 1, 1, -1});
  const Tensor difference = floats({1, 2, 1}, {1, -1});
  expect_elements<float>(result_of("SeparableConv", {x, taps, difference}), {1, 1, 2}, {13, 25});
}

TEST(SeparableConv, DoesBothEpilogues) {
  const Tensor x = floats({1, 1, 2}, {1, -3});
  const Tensor one = floats({1, 1, 1}, {1});
  const Tensor minus_one = floats({1, 1, 1}, {-1});
  const Tensor bias = floats({1}, {1});
  const Tensor residual = floats({1, 1, 2}, {10, 0.5F});
  // The first gives 2 and, by relu, 0; the second -2 + 3 + 10 and 0 + 3 + 0.5, of which 6 is left.
  expect_elements<float>(
      result_of("SeparableConv", {x, one, minus_one, bias, floats({1}, {3}), residual},
                {{"depthwise_activation", std::string("relu")},
                 {"activation", std::string("clip")},
                 {"activation_alpha", 0.0F},
                 {"activation_beta", 6.0F}}),
      {1, 1, 2}, {6, 3.5});
}

TEST(SeparableConv, RefusesASecondConvThatIsNotPointwise) {
  const Tensor x = floats({1, 1, 3}, {1, 2, 3});
  const Tensor taps = floats({1, 1, 2}, {1, 1});
  EXPECT_EQ(kind_of_error([&] { result_of("SeparableConv", {x, taps, taps}); }), ErrorKind::Model);
}

TEST(SeparableConv, RefusesAnInputWithoutChannels) {
  const Tensor x = floats({3}, {1, 2, 3});
  const Tensor one = floats({1, 1, 1}, {1});
  EXPECT_EQ(kind_of_error([&] { result_of("SeparableConv", {x, one, one}); }), ErrorKind::Model);
}

TEST(SeparableConv, TellsTheWorkOfBoth) {
  const Graph graph = parse(R"(
      x: f32[1,8,6,6]
      y = SeparableConv(x, u: f32[8,1,3,3], v: f32[4,8,1,1]) pads=[1,1,1,1]
      a = Conv(x, u) group=8 pads=[1,1,1,1]
      b = Conv(a, v)
      return y
      return b)");
  const auto macs = [&](const char* value) {
    return work(graph, graph.value(graph.find(value)).producer).macs;
  };
  EXPECT_EQ(macs("y"), macs("a") + macs("b"));
}

TEST(SeparableConv, IsWrittenAsTwoConvs) {
  Graph graph = parse(R"(
      x: f32[1,8,6,6]
      y = SeparableConv(x, u: f32[8,1,3,3], v: f32[4,8,1,1], ub: f32[8]) pads=[1,1,1,1] depthwise_activation="relu" activation="clip")");
  const NodeId id = graph.node_ids().front();
  graph.apply(op_def("SeparableConv").expand(graph, id));
  std::vector<std::string> ops;
  std::vector<std::string> activations;
  for (const NodeId node : graph.nodes_in_order()) {
    ops.push_back(graph.node(node).op);
    activations.push_back(graph.node(node).attributes.text("activation", ""));
  }
  EXPECT_EQ(ops, (std::vector<std::string>{"Conv", "Conv"})) << print(graph);
  EXPECT_EQ(activations, (std::vector<std::string>{"relu", "clip"})) << print(graph);
}

}  // namespace
}  // namespace braid
