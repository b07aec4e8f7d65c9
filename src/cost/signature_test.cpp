#include "cost/signature.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ops/builder.h"

namespace braid {
namespace {

Graph lowered_conv(std::string_view text =
                       "x: f32[1,8,32,32]\n"
                       "y = Conv(x, w: f32[16,8,3,3]) pads=[1,1,1,1]\n") {
  Graph graph = parse(text);
  graph.set_lowering(NodeId(0), {"jit:avx2", 0, {{2, 20}, {2, 1}}});
  graph.set_layout(graph.node(NodeId(0)).outputs[0], "acdb");
  return graph;
}

TEST(Signature, SaysWhatTheNodeIs) {
  EXPECT_EQ(signature(lowered_conv(), NodeId(0)),
            "Conv(f32[1,8,32,32], =f32[16,8,3,3]) pads=[1,1,1,1] -> f32[1,16,32,32]<acdb> "
            "@jit:avx2");
}

TEST(Signature, SaysHowTheNodeIsCut) {
  const Graph graph = lowered_conv();
  EXPECT_TRUE(signature(graph, NodeId(0), 2).ends_with("@jit:avx2 cut 2/20 in 2"));
  EXPECT_TRUE(signature(graph, NodeId(0), 3).ends_with("@jit:avx2 cut 2/1 in 3"));
  EXPECT_TRUE(signature(graph, NodeId(0), 33).ends_with("@jit:avx2 in 33"));
}

TEST(Signature, IsFreeOfNamesAndOfElementsOfWeights) {
  const std::string plain =
      signature(parse("x: f32[2]\ny = Add(x, w: f32[2] = {1.0,2.0})\n"), NodeId(0));
  EXPECT_EQ(
      signature(parse("a: f32[2]\nb = Add(a, c: f32[2] = {3.0,4.0}) @\"other\"\n"), NodeId(0)),
      plain);
  EXPECT_NE(signature(parse("a: f32[2]\nc: f32[2]\nb = Add(a, c)\n"), NodeId(0)), plain);
}

TEST(Signature, CountsShortListsOfWholeNumbers) {
  const auto of = [](std::string_view axes) {
    return signature(parse(fmt::format("x: f32[4,4]\ny = ReduceSum(x, a: i64[1] = {{{}}}) "
                                       "keepdims=1\n",
                                       axes)),
                     NodeId(0));
  };
  EXPECT_NE(of("0"), of("1"));
  EXPECT_EQ(of("0"), of("0"));
}

TEST(Signature, LongOnesEndInAHash) {
  Graph a = parse("x: f32[4]\ny = Relu(x)\n");
  Graph b = a;
  a.set_lowering(NodeId(0), {std::string(5000, 'i') + "a", 0, {}});
  b.set_lowering(NodeId(0), {std::string(5000, 'i') + "b", 0, {}});
  EXPECT_NE(signature(a, NodeId(0)), signature(b, NodeId(0)));
  EXPECT_LE(signature(a, NodeId(0)).size(), 600);
}

TEST(Signature, IsOneLineOfPrintableText) {
  Graph graph = parse("x: f32[4]\ny = Relu(x)\n");
  graph.set_lowering(NodeId(0), {"evil\n\x1b[2J\xff", 0, {}});
  EXPECT_TRUE(signature(graph, NodeId(0)).ends_with("@evil\\x0a\\x1b[2J\\xff"))
      << signature(graph, NodeId(0));
}

TEST(CutInto, TakesTheFirstCutThatAllowsSoManyParts) {
  const Graph graph = lowered_conv();
  EXPECT_EQ(cut_into(graph, NodeId(0), 1), std::nullopt);
  EXPECT_EQ(cut_into(graph, NodeId(0), 2), (Cut{2, 20}));
  EXPECT_EQ(cut_into(graph, NodeId(0), 32), (Cut{2, 1}));
  EXPECT_EQ(cut_into(graph, NodeId(0), 33), std::nullopt);
}

}  // namespace
}  // namespace braid
