#include <gtest/gtest.h>

#include "device/cpu/lowering/rules.h"
#include "device/cpu/testing/kernels.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"

namespace braid::cpu {
namespace {

Graph widened(std::string_view text) {
  Graph graph = parse(text);
  Allowance allowance = allowance_of(graph);
  widen_small_floats().run(graph, allowance);
  verify(graph);
  return graph;
}

int casts_in(const Graph& graph) {
  int count = 0;
  for (const NodeId id : graph.node_ids()) count += graph.node(id).op == "Cast" ? 1 : 0;
  return count;
}

ElementType element(const Graph& graph, std::string_view value) {
  return graph.value(graph.find(value)).type.element;
}

TEST(WidenSmallFloats, CastsOnceBeforeAndOnceBehindARowOfOperators) {
  for (const char* type : {"f16", "bf16"}) {
    std::string text = R"(
        x: T[1,4,8,8]
        a = Conv(x, w: T[8,4,3,3])
        b = Relu(a)
        c = Transpose(b) perm=[0,2,3,1]
        y = MatMul(c, v: T[8,5])
        return y)";
    for (std::size_t at; (at = text.find(" T[")) != text.npos;) text.replace(at + 1, 1, type);
    const Graph graph = widened(text);
    EXPECT_EQ(casts_in(graph), 2) << print(graph);
    EXPECT_EQ(name(element(graph, "x")), type);
    EXPECT_EQ(name(element(graph, "y")), type);
    for (const char* value : {"x_f32", "w_f32", "a_f32", "b_f32", "c_f32", "y_f32"})
      EXPECT_EQ(element(graph, value), ElementType::F32) << value;
  }
}

TEST(WidenSmallFloats, LeavesWhatHasAKernelOrNoneAtAll) {
  const Graph graph = widened(R"(
      x: f16[4,4]
      a = Transpose(x) perm=[1,0]
      y = Atan(a)
      return y)");
  EXPECT_EQ(casts_in(graph), 0) << print(graph);
}

TEST(WidenSmallFloats, KeepsACastOfTheModelWhichRounds) {
  const Graph graph = widened(R"(
      x: f16[4,4]
      a = Exp(x)
      b = Cast(a) to=1
      y = Exp(b)
      return y)");
  EXPECT_EQ(casts_in(graph), 3) << print(graph);
}

TEST(WidenSmallFloats, LeavesOtherGraphsAlone) {
  constexpr std::string_view text = R"(
      x: f32[4,4]
      y = Exp(x)
      return y)";
  EXPECT_EQ(print(widened(text)), print(parse(text)));
}

}  // namespace
}  // namespace braid::cpu
