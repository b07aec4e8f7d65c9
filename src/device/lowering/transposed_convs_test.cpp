#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/lowering/rules.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "rewrite/canonical/number_check.h"

namespace braid {
namespace {

/// The graph after the rule, which must leave its numbers as they were.
Graph with_convs(const Graph& graph) {
  Graph result = graph;
  Allowance allowance = allowance_of(graph);
  apply_everywhere(transposed_convs(), result, allowance);
  verify(result);
  NumberCheck(graph).check(result, "transposed-convs");
  return result;
}

int count_of(const Graph& graph, std::string_view op) {
  int count = 0;
  for (const NodeId id : graph.node_ids()) count += graph.node(id).op == op ? 1 : 0;
  return count;
}

std::string shape_with_convs(std::string_view text) {
  return print(with_convs(parse(text)), {.elements_in_full = 0});
}

TEST(TransposedConvs, OfStrideOneAreConvolutions) {
  EXPECT_EQ(shape_with_convs(R"(
      x: f32[1,2,5,6]
      y = ConvTranspose(x, w: f32[2,3,3,2], b: f32[3]) pads=[1,0,0,1] dilations=[1,2])"),
            print(parse(R"(
      x: f32[1,2,5,6]
      y = Conv(x, w_1: f32[3,2,3,2], b_1: f32[3]) dilations=[1,2] group=1 pads=[1,2,2,1])"),
                  {.elements_in_full = 0}));
}

TEST(TransposedConvs, LayWholeRowsOfChannelsSideBySide) {
  EXPECT_EQ(shape_with_convs(R"(
      x: f32[1,8,5,6]
      y = ConvTranspose(x, w: f32[8,3,2,2]) strides=[2,2])"),
            print(parse(R"(
      x: f32[1,8,5,6]
      Conv = Conv(x, w_1: f32[12,8,1,1]) dilations=[1,1] group=1 pads=[0,0,0,0]
      Transpose = Transpose(Conv) perm=[0,2,3,1]
      Reshape = Reshape(Transpose, shape: i64[7] = {1,5,6,1,2,2,3})
      Transpose_1 = Transpose(Reshape) perm=[0,1,4,2,5,3,6]
      Reshape_1 = Reshape(Transpose_1, shape_1: i64[4] = {1,10,12,3})
      y = Transpose(Reshape_1) perm=[0,3,1,2])"),
                  {.elements_in_full = 0}));
}

TEST(TransposedConvs, MakePhasesApartIfTogetherMuchWereInVain) {
  for (const char* text : {R"(
      x: f32[2,3,4,5]
      y = ConvTranspose(x, w: f32[3,16,4,4], b: f32[16]) strides=[2,2] pads=[1,1,1,1])",
                           R"(
      x: f32[1,6,4,4]
      y = ConvTranspose(x, w: f32[6,16,3,3]) group=2 strides=[2,2] pads=[1,1,1,1] output_padding=[1,1])"}) {
    const Graph result = with_convs(parse(text));
    EXPECT_EQ(count_of(result, "Conv"), 4) << print(result);
    EXPECT_EQ(count_of(result, "Slice"), 0) << print(result);
  }
}

TEST(TransposedConvs, OfAnyWindowGiveTheSameNumbers) {
  std::mt19937 random(7);
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  int written = 0;
  for (int turn = 0; turn < 200; ++turn) {
    const int axes = draw(1, 3);
    const int groups = draw(1, 3);
    std::string extents;
    std::string kernel;
    std::string strides;
    std::string dilations;
    std::string begins;
    std::string ends;
    std::string extra;
    for (int axis = 0; axis < axes; ++axis) {
      const char* comma = axis == 0 ? "" : ",";
      const int stride = draw(1, 4);
      const int taps = draw(1, 5);
      const int pad = draw(0, taps - 1);
      extents += fmt::format(",{}", draw(taps, 6));
      kernel += fmt::format(",{}", taps);
      strides += fmt::format("{}{}", comma, stride);
      dilations += fmt::format("{}{}", comma, stride == 1 ? draw(1, 2) : 1);
      begins += fmt::format("{}{}", comma, pad);
      ends += fmt::format(",{}", draw(0, (taps - 1) / 2));
      extra += fmt::format("{}{}", comma, draw(0, stride - 1));
    }
    const Graph graph = parse(fmt::format(
        "x: f32[{},{}{}]\n"
        "y = ConvTranspose(x, w: f32[{},{}{}]) group={} strides=[{}] dilations=[{}] pads=[{}{}] "
        "output_padding=[{}]",
        draw(1, 2), 2 * groups, extents, 2 * groups, draw(0, 1) == 0 ? draw(1, 3) : draw(16, 18),
        kernel, groups, strides, dilations, begins, ends, extra));
    SCOPED_TRACE(print(graph));
    const Graph result = with_convs(graph);
    written += count_of(result, "Conv") > 0 ? 1 : 0;
  }
  EXPECT_GT(written, 150);
}

TEST(TransposedConvs, LeaveOthersAlone) {
  for (const char* text : {R"(
      x: f32[1,2,5]
      w: f32[2,3,3]
      y = ConvTranspose(x, w))",
                           R"(
      x: f32[1,2,5]
      y = ConvTranspose(x, w: f32[2,3,3]) strides=[2] dilations=[2])",
                           R"(
      x: f32[1,2,5]
      y = ConvTranspose(x, w: f32[2,3,1]) strides=[3])",
                           R"(
      x: f32[1,2,5]
      y = ConvTranspose(x, w: f32[2,3,2]) strides=[2] pads=[4,0])"})
    EXPECT_EQ(print(with_convs(parse(text))), print(parse(text)));
}

}  // namespace
}  // namespace braid
