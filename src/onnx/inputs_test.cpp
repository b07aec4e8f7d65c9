#include "onnx/inputs.h"

#include <gtest/gtest.h>

#include "onnx/testing/models.h"

namespace braid::onnx {
namespace {

using namespace testing;

proto::ModelProto two_inputs() {
  auto m = model_of({node("Relu", {"x"}, {"y"})}, 17, {"batch", "3", "side", "side"});
  *m.mutable_graph()->add_input() = value_info("mask", {"batch"});
  return m;
}

Dims dims_of(const Graph& graph, const std::string& name) {
  return graph.value(graph.find(name)).type.dims;
}

TEST(Inputs, BindsDimensionsByName) {
  LoadOptions options;
  options.dims = {{"batch", 2}, {"side", 8}};
  const Graph graph = load_model(two_inputs(), options);
  EXPECT_EQ(dims_of(graph, "y"), (Dims{2, 3, 8, 8}));
  EXPECT_EQ(dims_of(graph, "mask"), (Dims{2}));
}

TEST(Inputs, BindsDimensionsByTheShapeOfAnotherInput) {
  LoadOptions options;
  options.shapes["x"] = {5, 3, 8, 8};
  EXPECT_EQ(dims_of(load_model(two_inputs(), options), "mask"), (Dims{5}));
}

TEST(Inputs, NamesTheOpenDimensionAndTheFlags) {
  LoadOptions options;
  options.dims["batch"] = 1;
  expect_error(ErrorKind::Usage,
               {"'x'", "[batch,3,side,side]", "--dim side=224 or --shapes x:1x3x224x224"},
               [&] { load_model(two_inputs(), options); });
  expect_error(ErrorKind::Usage, {"--dim batch=1 --dim side=224 or --shapes x:1x3x224x224"},
               [&] { load_model(two_inputs()); });
}

TEST(Inputs, AsksForTheShapeOfADimensionWithoutAName) {
  expect_error(ErrorKind::Usage, {"'x'", "[?,3]", "--shapes x:1x3"},
               [] { load_model(model_of({node("Relu", {"x"}, {"y"})}, 17, {"", "3"})); });
  auto none = model_of({node("Relu", {"x"}, {"y"})});
  none.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  expect_error(ErrorKind::Usage, {"'x'", "no shape", "--shapes x:"}, [&] { load_model(none); });
  LoadOptions options;
  options.shapes["x"] = {4};
  EXPECT_EQ(dims_of(load_model(none, options), "y"), (Dims{4}));
}

TEST(Inputs, SizesThatExportersDoNotKnowAreNoSymbols) {
  for (const char* unknown : {"?", "-1", "None"}) {
    auto model = model_of({node("Relu", {"x"}, {"y"})}, 17, {"1", "3", unknown, unknown});
    LoadOptions options;
    options.shapes["x"] = {1, 3, 8, 9};
    EXPECT_EQ(dims_of(load_model(model, options), "y"), (Dims{1, 3, 8, 9}));
    expect_error(ErrorKind::Usage, {"[1,3,?,?]", "--shapes x:1x3x"}, [&] { load_model(model); });
    options.shapes.clear();
    options.dims[unknown] = 4;
    expect_error(ErrorKind::Usage, {"no input has a dimension"},
                 [&] { load_model(model, options); });
  }
}

TEST(Inputs, RefusesTwoSizesForOneDimension) {
  LoadOptions options;
  options.shapes["x"] = {1, 3, 8, 9};
  expect_error(ErrorKind::Usage, {"'side'", "8", "9"}, [&] { load_model(two_inputs(), options); });
  options.shapes["x"] = {1, 3, 8, 8};
  options.dims["batch"] = 2;
  expect_error(ErrorKind::Usage,
               {"'batch'", "2 by name (batch=2)", "1 by the shape [1,3,8,8] given for input 'x'"},
               [&] { load_model(two_inputs(), options); });
}

TEST(Inputs, ABatchIsTheFirstDimensionOfAllInputs) {
  LoadOptions options;
  options.batch = 4;
  options.dims["side"] = 8;
  EXPECT_EQ(dims_of(load_model(two_inputs(), options), "y"), (Dims{4, 3, 8, 8}));
  options.dims["batch"] = 2;
  expect_error(ErrorKind::Usage, {"'batch'", "2 by name (batch=2)", "4 by the batch of 4"},
               [&] { load_model(two_inputs(), options); });
  options = {};
  options.batch = 4;
  options.shapes["x"] = {1, 3, 8, 8};
  expect_error(ErrorKind::Usage, {"the batch of 4 contradicts the shape [1,3,8,8]", "'x'"},
               [&] { load_model(two_inputs(), options); });
  const auto fixed = model_of({node("Relu", {"x"}, {"y"})}, 17, {"2", "3"});
  options.shapes.clear();
  expect_error(ErrorKind::Usage, {"'x'", "2 in the model", "batch of 4"},
               [&] { load_model(fixed, options); });
  const auto unnamed = model_of({node("Relu", {"x"}, {"y"})}, 17, {"?", "3"});
  EXPECT_EQ(dims_of(load_model(unnamed, options), "y"), (Dims{4, 3}));
}

TEST(Inputs, RefusesShapesThatDoNotFit) {
  LoadOptions options;
  options.shapes["x"] = {1, 4, 8, 8};
  expect_error(ErrorKind::Usage, {"[1,4,8,8]", "[batch,3,side,side]"},
               [&] { load_model(two_inputs(), options); });
  options.shapes["x"] = {1, 3};
  expect_error(ErrorKind::Usage, {"[1,3]"}, [&] { load_model(two_inputs(), options); });
  options.shapes["x"] = {-1, 3, 8, 8};
  expect_error(ErrorKind::Usage, {"-1"}, [&] { load_model(two_inputs(), options); });
}

TEST(Inputs, RefusesNamesThatTheModelLacks) {
  LoadOptions shapes;
  shapes.shapes["image"] = {1};
  expect_error(ErrorKind::Usage, {"'image'", "'x'", "'mask'"},
               [&] { load_model(two_inputs(), shapes); });
  LoadOptions dims;
  dims.dims["length"] = 1;
  expect_error(ErrorKind::Usage, {"'length'", "'batch'", "'side'"},
               [&] { load_model(two_inputs(), dims); });
}

TEST(Inputs, FixedInputsBecomeConstants) {
  LoadOptions options;
  options.dims["side"] = 2;
  options.fixed_inputs["mask"] = Tensor::of<float>({7}, std::vector<float>(7, 1));
  const Graph graph = load_model(two_inputs(), options);
  EXPECT_EQ(graph.inputs().size(), 1);
  EXPECT_TRUE(graph.is_constant(graph.find("mask")));
  EXPECT_EQ(dims_of(graph, "x"), (Dims{7, 3, 2, 2}));
  options.fixed_inputs["mask"] = Tensor::of<std::int64_t>({7}, std::vector<std::int64_t>(7, 1));
  expect_error(ErrorKind::Usage, {"'mask'", "f32[7]", "i64[7]"},
               [&] { load_model(two_inputs(), options); });
}

TEST(Inputs, LimitsShapes) {
  LoadOptions options;
  options.dims = {{"batch", std::int64_t{1} << 40}, {"side", std::int64_t{1} << 20}};
  expect_error(ErrorKind::Quota, {"too many elements", "'x'"},
               [&] { load_model(two_inputs(), options); });
  options.dims = {{"batch", std::int64_t{1} << 41}, {"side", 1}};
  expect_error(ErrorKind::Quota, {"'elements'"}, [&] { load_model(two_inputs(), options); });
  expect_error(ErrorKind::Quota, {"'rank'"},
               [] { load_model(model_of({node("Relu", {"x"}, {"y"})}, 17, Strings(1000, "1"))); });
  options.dims = {{"batch", 0}, {"side", 4}};
  EXPECT_EQ(dims_of(load_model(two_inputs(), options), "y"), (Dims{0, 3, 4, 4}));
}

}  // namespace
}  // namespace braid::onnx
