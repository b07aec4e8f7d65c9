#include "device/cpu/lowering/lower.h"

#include <gtest/gtest.h>

#include "device/cpu/lanes/lane_settings.h"
#include "device/cpu/lowering/rules.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "graph/layout.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "plan/reference.h"

namespace braid::cpu {
namespace {

Graph lowered(std::string_view text) {
  const LaneSettings settings;
  Graph graph = parse_graph(text, [](const Graph& g, const Node& node) {
    return infer(op_def(node.op), call_of(g, node));
  });
  Allowance allowance = allowance_of(graph);
  for (const RewriteStep& step : lowering_steps()) step.run(graph, allowance);
  graph = lower_nodes(graph, {.costs = make_device({})->modelled_costs()});
  verify(graph);
  return graph;
}

int count(const Graph& graph, std::string_view implementation) {
  int found = 0;
  for (const NodeId id : graph.node_ids())
    found += graph.node(id).lowering.implementation == implementation ? 1 : 0;
  return found;
}

std::string layout(const Graph& graph, std::string_view value) {
  return graph.value(graph.find(value)).layout;
}

using LoweringChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, LoweringChoice, kEachMachine, name_of_machine);

TEST_P(LoweringChoice, LayoutsRunThroughAChainOfConvolutions) {
  const Graph graph = lowered(R"(
      x: f32[1,16,16,16]
      a = Conv(x, w: f32[16,16,3,3]) pads=[1,1,1,1]
      b = Relu(a)
      c = MaxPool(b) kernel_shape=[2,2] strides=[2,2]
      d = Mul(c, s: f32[1,16,1,1])
      e = Concat(d, c) axis=1
      y = Conv(e, v: f32[8,32,1,1]))");
  EXPECT_EQ(count(graph, "reorder"), 2) << "the input's and the output's\n" << print(graph);
  for (const char* value : {"a", "b", "c", "d", "e"}) EXPECT_EQ(layout(graph, value), "nhwc");
}

TEST_P(LoweringChoice, LayoutsRunThroughADecoderOfImages) {
  const Graph graph = lowered(R"(
      x: f32[1,16,8,8]
      skip: f32[1,16,16,16]
      a = Conv(x, w: f32[32,16,3,3]) pads=[1,1,1,1]
      b = Upsample(a, scales: f32[4] = {1,1,2,2}) mode="linear"
      s = Conv(skip, v: f32[16,16,1,1])
      c = Concat(b, s) axis=1
      d = Conv(c, u: f32[64,48,3,3]) pads=[1,1,1,1]
      e = LRN(d) size=5
      f = DepthToSpace(e) blocksize=2 mode="CRD"
      g = Conv(f, t: f32[16,16,1,1])
      y = ArgMax(g) axis=1)");
  for (const char* way : {"resize", "lrn", "depth_space", "arg"})
    EXPECT_EQ(count(graph, way), 1) << print(graph);
  EXPECT_EQ(count(graph, "reorder"), 2) << "the inputs'\n" << print(graph);
  EXPECT_EQ(count(graph, "view"), 1) << "the Concat\n" << print(graph);
  for (const char* value : {"a", "b", "c", "d", "e", "f", "g"})
    EXPECT_EQ(layout(graph, value), "nhwc");
}

TEST_P(LoweringChoice, LeavesNothingToTheReferenceThatOthersCanDo) {
  EXPECT_EQ(count(lowered(R"(
      x: f32[1,8,6,6]
      up = ConvTranspose(x, w: f32[8,4,4,4]) strides=[2,2] pads=[1,1,1,1]
      sum = Sum(up, up, up)
      low = Clip(sum, zero: f32[] = {0}, six: f32[] = {6})
      wide = ConvTranspose(low, v: f32[4,16,3,3]) strides=[2,2] pads=[1,1,1,1] output_padding=[1,1]
      small = DepthToSpace(wide) blocksize=2 mode="CRD"
      y = Attention(small, small, small) is_causal=1)"),
                  kReferenceImplementation),
            0);
}

TEST_P(LoweringChoice, AResultThatIsEnlargedIsReorderedWhileItIsSmall) {
  const Graph graph = lowered(R"(
      x: f32[1,16,8,8]
      a = Conv(x, w: f32[21,16,3,3]) pads=[1,1,1,1]
      y = Resize(a, -, -, sizes: i64[4] = {1,21,32,32}) mode="linear")");
  EXPECT_EQ(layout(graph, "y"), "");
  for (const NodeId id : graph.node_ids())
    if (graph.node(id).lowering.implementation == "reorder") {
      EXPECT_EQ(graph.value(graph.node(id).outputs[0]).type.dims.back(), 8) << print(graph);
    }
  // One that is read channels-last stays so.
  EXPECT_EQ(layout(lowered(R"(
      x: f32[1,16,8,8]
      a = Conv(x, w: f32[21,16,3,3]) pads=[1,1,1,1]
      b = Resize(a, -, -, sizes: i64[4] = {1,21,32,32}) mode="linear"
      y = Conv(b, v: f32[8,21,3,3]))"),
                   "b"),
            "nhwc");
}

TEST_P(LoweringChoice, RowsThatLieAcrossAreTurnedForPanels) {
  const Graph graph = lowered(R"(
      x: f32[1,64,96]
      a = Erf(x)
      t = Transpose(a) perm=[0,2,1]
      b = Erf(t)
      y = MatMul(b, w: f32[64,128]))");
  EXPECT_EQ(count(graph, "panels"), 1) << print(graph);
  EXPECT_EQ(count(graph, "reorder"), 1) << print(graph);
}

constexpr std::string_view kDenseLayer = R"(
      x: f32[1,16,6,6]
      a = Conv(x, w: f32[8,16,1,1])
      c = Concat(x, a) axis=1
      n = BatchNormalization(c, s: f32[24], b: f32[24], m: f32[24], v: f32[24]) activation="relu"
      y = Conv(n, u: f32[8,24,1,1]))";

TEST_P(LoweringChoice, AConcatIsNormalisedInOnePass) {
  const Graph graph = lowered(kDenseLayer);
  EXPECT_EQ(count(graph, "concat_norm"), 1) << print(graph);
  EXPECT_EQ(count(graph, "batch_norm"), 0) << print(graph);
  const Graph shared = lowered(std::string(kDenseLayer) + "\n      return c\n      return y");
  EXPECT_EQ(count(shared, "concat_norm"), 0) << print(shared);
}

TEST(Lower, NormalisingInOnePassKeepsEveryBit) {
  const Graph graph = parse_graph(kDenseLayer, [](const Graph& g, const Node& node) {
    return infer(op_def(node.op), call_of(g, node));
  });
  Graph open = graph;
  open.add_output(open.find("c"));
  std::mt19937 random(7);
  const std::vector<Tensor> inputs = {random_tensor({1, 16, 6, 6}, random)};
  EXPECT_TRUE(
      identical(compile_on_cpu(graph)->run(inputs)[0], compile_on_cpu(open)->run(inputs)[0]));
}

constexpr std::string_view kBranches = R"(
      x: f32[1,64,9,9]
      a = Conv(x, wa: f32[64,64,1,1])
      b = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
      p = Conv(x, wp: f32[64,64,1,1])
      r = Relu(p)
      s = Add(p, x)
      c = Concat(a, r, b, s, p) axis=1
      y = Conv(c, wc: f32[16,320,1,1]))";

TEST_P(LoweringChoice, KernelsWriteWhereAConcatJoinsThem) {
  const Graph graph = lowered(kBranches);
  EXPECT_EQ(layout(graph, "c"), "nhwc");
  EXPECT_EQ(graph.node(graph.value(graph.find("c")).producer).lowering.implementation, "view");
  EXPECT_EQ(count(graph, "copy"), 1) << "p is read elsewhere\n" << print(graph);
}

TEST_P(LoweringChoice, AConcatIsMadeAsAWholeIfLittleOfItCouldBeWrittenInPlace) {
  const Graph graph = lowered(R"(
      x: f32[1,64,9,9]
      a = Conv(x, wa: f32[16,64,1,1])
      c = Concat(a, x) axis=1
      y = Conv(c, wc: f32[16,80,1,1]))");
  EXPECT_EQ(count(graph, "concat"), 1) << print(graph);
  EXPECT_EQ(count(graph, "copy"), 0) << print(graph);
}

TEST_P(LoweringChoice, RowsOfProductsAreWrittenWhereAConcatJoinsThem) {
  const Graph graph = lowered(R"(
      x: f32[5,64]
      a = MatMul(x, wa: f32[64,40])
      b = MatMul(x, wb: f32[64,24])
      c = Concat(a, b) axis=-1
      y = MatMul(c, wc: f32[64,16]))");
  EXPECT_EQ(count(graph, "view"), 1) << print(graph);
  EXPECT_EQ(count(graph, "copy"), 0) << print(graph);
}

TEST(Lower, JoiningInPlaceKeepsEveryBit) {
  const Graph graph = parse_graph(kBranches, [](const Graph& g, const Node& node) {
    return infer(op_def(node.op), call_of(g, node));
  });
  Graph open = graph;
  open.add_output(open.find("c"));  // so that it does not live in the arena
  std::mt19937 random(7);
  const std::vector<Tensor> inputs = {random_tensor({1, 64, 9, 9}, random)};
  EXPECT_TRUE(
      identical(compile_on_cpu(graph)->run(inputs)[0], compile_on_cpu(open)->run(inputs)[0]));
}

TEST_P(LoweringChoice, ASplitIsSlicesThatCanBeCut) {
  const Graph graph = lowered(R"(
      x: f32[1,64,30]
      a, b = Split(x, sizes: i64[2] = {10,20}) axis=-1
      ra = Softmax(a)
      rb = Softmax(b))");
  for (const NodeId id : graph.node_ids()) {
    EXPECT_NE(graph.node(id).op, "Split");
    if (graph.node(id).op != "Slice") continue;
    EXPECT_EQ(graph.node(id).lowering.cuts.size(), 1U);
  }
  EXPECT_EQ(count(graph, "copy"), 2) << print(graph);
}

TEST_P(LoweringChoice, TransposesAroundMatMulsAreViews) {
  const Graph graph = lowered(R"(
      x: f32[1,32,48]
      q = MatMul(x, wq: f32[48,48])
      k = MatMul(x, wk: f32[48,48])
      q4 = Reshape(q, shape: i64[4] = {1,32,4,12})
      k4 = Reshape(k, shape2: i64[4] = {1,32,4,12})
      qt = Transpose(q4) perm=[0,2,1,3]
      kt = Transpose(k4) perm=[0,2,3,1]
      s = MatMul(qt, kt)
      p = Softmax(s)
      c = MatMul(p, qt)
      ct = Transpose(c) perm=[0,2,1,3]
      r = Reshape(ct, shape3: i64[3] = {1,32,48})
      y = MatMul(r, wo: f32[48,48]))");
  EXPECT_EQ(count(graph, "reorder"), 0) << print(graph);
  EXPECT_EQ(count(graph, "view"), 6) << print(graph);
}

TEST_P(LoweringChoice, AKernelThatRefusesAnOrderGetsRowMajorValues) {
  const Graph graph = lowered(R"(
      x: f32[128,128,8]
      a = Neg(x)
      b = Transpose(a) perm=[2,0,1]
      y = Softmax(b))");
  EXPECT_EQ(count(graph, "reorder"), 1) << print(graph);
  EXPECT_EQ(count(graph, "evaluate"), 0) << print(graph);
}

TEST_P(LoweringChoice, PatchesOfAnImageBecomeRowsWithoutACopy) {
  const Graph graph = lowered(R"(
      x: f32[1,3,32,32]
      a = Conv(x, w: f32[24,3,8,8]) strides=[8,8]
      b = Reshape(a, shape: i64[3] = {1,24,16})
      c = Transpose(b) perm=[0,2,1]
      y = MatMul(c, v: f32[24,24]))");
  EXPECT_EQ(count(graph, "reorder"), 0) << print(graph);
  EXPECT_EQ(layout(graph, "b"), "nwc");
}

TEST_P(LoweringChoice, AConstantIsReorderedBeforehand) {
  const Graph graph = lowered(R"(
      x: f32[1,4,6,6]
      a = Conv(x, w: f32[8,4,1,1])
      b = Add(a, table: f32[1,8,6,6])
      y = Conv(b, v: f32[4,8,1,1]))");
  EXPECT_EQ(count(graph, "reorder"), 2) << "the input's and the output's\n" << print(graph);
  const ValueId table = graph.find("table_nhwc");
  ASSERT_TRUE(table.valid()) << print(graph);
  EXPECT_TRUE(graph.is_constant(table));
}

TEST_P(LoweringChoice, AValueIsReorderedOnceForAllItsReaders) {
  const Graph graph = lowered(R"(
      x: f32[1,4,6,6]
      a = Conv(x, w: f32[8,4,1,1])
      b = Conv(x, v: f32[8,4,1,1])
      y = Add(a, b))");
  EXPECT_EQ(count(graph, "reorder"), 2) << print(graph);
}

TEST_P(LoweringChoice, OutputsKeepTheirNamesAndAreRowMajor) {
  const Graph graph = lowered(R"(
      x: f32[1,4,6,6]
      a = Conv(x, w: f32[8,4,1,1])
      y = Conv(a, v: f32[4,8,1,1])
      return a, y)");
  ASSERT_EQ(graph.outputs().size(), 2);
  EXPECT_EQ(graph.outputs()[0].name, "a");
  for (const GraphOutput& output : graph.outputs()) EXPECT_EQ(graph.value(output.value).layout, "");
}

TEST(Lower, TheSameNumbersComeOutAsFromEvaluate) {
  const std::string text = R"(
      x: f32[2,8,9,7]
      a = Conv(x, w: f32[16,8,3,3]) pads=[1,1,1,1] strides=[2,2]
      b = AveragePool(a) kernel_shape=[3,3] pads=[1,1,1,1]
      c = Sub(a, b)
      d = Transpose(c) perm=[0,2,3,1]
      e = Add(d, s: f32[16])
      f = Transpose(e) perm=[0,3,1,2]
      g = Concat(f, a) axis=1
      h = Slice(g, from: i64[1] = {3}, to: i64[1] = {29}, axes: i64[1] = {1})
      i = Pad(h, pads: i64[8] = {0,0,1,0,0,0,0,2})
      y = Reshape(i, shape: i64[2] = {2,-1}))";
  const Graph graph = parse_graph(text, [](const Graph& g, const Node& node) {
    return infer(op_def(node.op), call_of(g, node));
  });
  std::mt19937 random(1);
  const Tensor x = random_tensor({2, 8, 9, 7}, random, Numbers::SmallIntegers);
  const std::vector<Tensor> inputs = {x};
  const Tensor expected = evaluate(graph, inputs)[graph.outputs()[0].value.at()];
  EXPECT_EQ(difference(compile_on_cpu(graph)->run(inputs)[0], expected, 1e-6), "");
}

TEST(Lower, AMatrixOfOneElementInAnOddOrderIsMultiplied) {
  const Graph graph = parse_graph(
      R"(
      x: f32[2,8,2,4]
      a = MaxPool(x) kernel_shape=[2,3] strides=[2,2]
      b = MatMul(a, w: f32[1])
      c = MatMul(a, v: f32[1,3])
      d = Transpose(a) perm=[0,2,3,1]
      y = MatMul(d, u: f32[8,1])
      return b, c, y)",
      [](const Graph& g, const Node& node) { return infer(op_def(node.op), call_of(g, node)); });
  std::mt19937 random(1);
  const std::vector<Tensor> inputs = {random_tensor({2, 8, 2, 4}, random, Numbers::SmallIntegers)};
  const std::vector<Tensor> expected = evaluate(graph, inputs);
  const std::vector<Tensor> outputs = compile_on_cpu(graph)->run(inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    EXPECT_EQ(difference(outputs[i], expected[graph.outputs()[i].value.at()], 1e-6), "");
}

}  // namespace
}  // namespace braid::cpu
