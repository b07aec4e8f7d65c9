#include "ops/shared/epilogue.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "graph/verify.h"
#include "ops/builder.h"
#include "ops/catalog.h"
#include "ops/testing/calls.h"

namespace braid {
namespace {

float activated(std::string_view activation, float x) {
  const Tensor one = floats({1, 1}, {1});
  const Tensor y =
      result_of("MatMul", {one, floats({1, 1}, {x})}, {{"activation", std::string(activation)}});
  return y.data<float>()[0];
}

std::string expanded(std::string_view text) {
  Graph graph = parse(text);
  for (NodeId id : graph.node_ids())
    if (has_epilogue(graph.node(id))) graph.apply(expand_epilogue(graph, id));
  verify(graph);
  for (NodeId id : graph.node_ids()) EXPECT_FALSE(has_epilogue(graph.node(id)));
  return print(graph, {.elements_in_full = 0});
}

TEST(Epilogue, ActivationsHaveTheirUsualValues) {
  EXPECT_FLOAT_EQ(activated("relu", -2), 0);
  EXPECT_FLOAT_EQ(activated("leakyrelu", -2), -0.02F);
  EXPECT_FLOAT_EQ(activated("elu", -2), -0.86466472F);
  EXPECT_FLOAT_EQ(activated("clip", -2), -2);
  EXPECT_FLOAT_EQ(activated("sigmoid", -2), 0.11920292F);
  EXPECT_FLOAT_EQ(activated("hardsigmoid", -2), 0.1F);
  EXPECT_FLOAT_EQ(activated("hardswish", -2), -0.33333334F);
  EXPECT_FLOAT_EQ(activated("silu", -2), -0.23840584F);
  EXPECT_FLOAT_EQ(activated("tanh", -2), -0.96402758F);
  EXPECT_FLOAT_EQ(activated("gelu", -2), -0.045500264F);
  EXPECT_NEAR(activated("gelutanh", -2), -0.045402306F, 1e-7);
  for (const char* positive : {"relu", "leakyrelu", "elu", "clip"})
    EXPECT_FLOAT_EQ(activated(positive, 3), 3);
}

TEST(Epilogue, EveryActivationIsItsOperator) {
  std::size_t seen = 0;
  for (const OpDef& op : catalog())
    for (const ActivationDef& activation : op.activations) {
      if (op.name == "Clip") continue;  // whose bounds are inputs
      ++seen;
      Attributes attributes = activation.form;
      if (activation.alpha) attributes.set("alpha", 0.75F);
      for (const float x : {-3.0F, -0.5F, 0.0F, 0.25F, 4.0F}) {
        const Tensor alone = result_of(op.name, {floats({1}, {x})}, attributes);
        const double inside = activation.of(x, 0.75F, activation.beta.value_or(0));
        EXPECT_NEAR(alone.data<float>()[0], inside, 1e-6) << activation.name << " of " << x;
      }
    }
  EXPECT_GE(seen, 10U);
}

TEST(Epilogue, ExpandsIntoTheOperatorWithItsNumber) {
  EXPECT_EQ(expanded(R"(x: f32[1,2]
y = MatMul(x, w: f32[2,2]) activation="silu" activation_alpha=2.0
)"),
            R"(x: f32[1,2]
MatMul = MatMul(x, w: f32[2,2])
y = Swish(MatMul) alpha=2.0
)");
}

TEST(Epilogue, ClipsIntegersInTheirType) {
  const Tensor x = Tensor::of<std::int8_t>({1, 2}, {100, -100});
  const Tensor one = Tensor::of<std::int8_t>({1, 1}, {1});
  expect_elements<std::int8_t>(result_of("MatMul", {one, x},
                                         {{"activation", std::string("clip")},
                                          {"activation_alpha", -1000.0F},
                                          {"activation_beta", 6.5F}}),
                               {1, 2}, {6, -100});
}

TEST(Epilogue, RefusesAnUnknownActivation) {
  const Tensor one = floats({1, 1}, {1});
  const std::string complaint =
      complaint_of("MatMul", {one, one}, {{"activation", std::string("swoosh")}});
  EXPECT_TRUE(
      complaint.starts_with("bad model or input: attribute 'activation' is 'swoosh', "
                            "expected one of clip, elu, gelutanh, gelu, "))
      << complaint;
}

TEST(Epilogue, ExpandsIntoPlainOperators) {
  EXPECT_EQ(expanded(R"(x: f32[1,2,4,4]
r: f32[1,3,4,4]
y = Conv(x, w: f32[3,2,1,1], -, r) activation="relu" group=1
)"),
            R"(x: f32[1,2,4,4]
r: f32[1,3,4,4]
Conv = Conv(x, w: f32[3,2,1,1]) group=1
Add = Add(Conv, r)
y = Relu(Add)
)");
}

TEST(Epilogue, OfANormIsItsActivationAlone) {
  EXPECT_EQ(expanded(R"(x: f32[1,2,4]
y = BatchNormalization(x, s: f32[2], b: f32[2], m: f32[2], v: f32[2]) activation="relu"
)"),
            R"(x: f32[1,2,4]
BatchNormalization = BatchNormalization(x, s: f32[2], b: f32[2], m: f32[2], v: f32[2])
y = Relu(BatchNormalization)
)");
}

TEST(Epilogue, LeavesPlainNodesAlone) {
  const Graph graph = parse("x: f32[2,2]\ny = Gemm(x, w: f32[2,2], c: f32[2])\n");
  EXPECT_FALSE(has_epilogue(graph.node(graph.node_ids()[0])));
  const Graph norm =
      parse("x: f32[1,2]\ny = BatchNormalization(x, s: f32[2], b: f32[2], m: f32[2], v: f32[2])\n");
  EXPECT_FALSE(has_epilogue(norm.node(norm.node_ids()[0])));
}

}  // namespace
}  // namespace braid
