#include "graph/text.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/verify.h"

namespace braid {
namespace {

// Without an infer function the text states every type.
Graph read_text(std::string_view text) {
  Graph graph = parse_graph(text, {});
  verify(graph);
  return graph;
}

constexpr std::string_view kCell = R"(graph "cell" opset=17
x: f32[1,8,32,32]
c: f32[1,16,32,32] = Conv(x, w: f32[16,8,3,3], -) auto_pad="NOTSET" pads=[1,1,1,1] @"conv 1"
s: f32[1,16384] = Reshape(c, shape: i64[2] = {1,-1}) allowzero=0
"y 1": f32[1,16384], - = Dropout(s) a=0.5 b=[1.0,inf] t=f16[2]{1.5,nan} u=reals[]
return "y 1" as "out", s
)";

TEST(GraphText, PrintsWhatItReads) { EXPECT_EQ(print(read_text(kCell), {.types = true}), kCell); }

TEST(GraphText, KeepsLoweringAndLayout) {
  constexpr std::string_view text = R"(x: f32[4,4]
y: f32[4,4] <nhwc> = Relu(x) <"onednn:jit" scratch=64 cut=0/1 cut=1/2>
)";
  EXPECT_EQ(print(read_text(text), {.types = true}), text);
}

TEST(GraphText, OutputsDefaultToValuesThatNobodyReads) {
  const Graph graph =
      read_text("x: f32[2]\na: f32[2] = Relu(x)\nb: f32[2] = Relu(a)\nc: f32[2] = Relu(a)\n");
  ASSERT_EQ(graph.outputs().size(), 2);
  EXPECT_EQ(graph.outputs()[0].name, "b");
  EXPECT_EQ(graph.outputs()[1].name, "c");
}

std::string error_of(std::string_view text) {
  try {
    read_text(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    return error.what();
  }
  return "no error";
}

TEST(GraphText, ErrorsNameLineAndColumn) {
  EXPECT_EQ(error_of("x: f32[2]\ny: f32[2] = Relu(x\n"),
            "line 2, column 19: expected ')', got 'end of line'");
  EXPECT_EQ(error_of("x: q7[2]\n"),
            "line 1, column 4: expected an element type such as f32 or i64, got 'q7'");
  EXPECT_EQ(error_of("y: f32[2] = Relu(x)\n"),
            "line 1: value 'x' is not defined before it is read");
  EXPECT_EQ(error_of("x: f32[2]\nx: f32[2]\n"), "line 2: value 'x' is defined twice");
  EXPECT_EQ(error_of("x: f32[2]\ny = Relu(x)\n"), "the type of 'y' is not stated\n  in line 2");
}

TEST(GraphText, RefusesScratchAndCutsThatCannotBe) {
  const auto error_with = [](std::string_view facts) {
    return error_of("x: f32[4]\ny: f32[4] = Relu(x) <jit " + std::string(facts) + ">\n");
  };
  EXPECT_NE(error_with("scratch=-64").find("a number from 0 on, not -64"), std::string::npos);
  EXPECT_NE(error_with("cut=-1/1").find("a number from 0 on, not -1"), std::string::npos);
  EXPECT_NE(error_with("cut=0/0").find("a number from 1 on, not 0"), std::string::npos);
}

TEST(GraphText, ConstantsKeepToTheQuotaOfMemory) {
  Quotas quotas;
  quotas.memory_bytes = 4096;
  constexpr std::string_view text =
      "x: f32[2]\ny: f32[2] = Add(x, w: f32[1000], v: f32[1000000000000])\n";
  try {
    parse_graph(text, {}, quotas);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Quota);
    EXPECT_EQ(error.message(),
              "line 2: a constant of type f32[1000000000000] is more than memory allows (quota "
              "'memory_bytes')");
  }
}

}  // namespace
}  // namespace braid
