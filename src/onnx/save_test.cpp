#include "onnx/save.h"

#include <set>

#include <gtest/gtest.h>

#include "graph/hash.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "onnx/exporter.h"
#include "onnx/testing/models.h"
#include "ops/builder.h"
#include "ops/call.h"
#include "tensor/difference.h"

namespace braid::onnx {
namespace {

using namespace testing;

Graph reloaded(const Graph& graph, const SaveOptions& options = {}) {
  const Folder folder;
  save(graph, folder.path() / "m.onnx", options);
  Graph again = load(folder.path() / "m.onnx");
  verify(again);
  return again;
}

void expect_round_trip(const Graph& graph, const SaveOptions& options = {}) {
  const Graph again = reloaded(graph, options);
  EXPECT_EQ(hash(graph, HashWeights::Bytes), hash(again, HashWeights::Bytes))
      << print(graph) << print(again);
}

Graph small_net() {
  return braid::parse(R"(graph "net" opset=13
    x: f32[1,3,8,8]
    c = Conv(x, w: f32[4,3,3,3], b: f32[4]) pads=[1,1,1,1] strides=[2,2] @"conv"
    r = Relu(c) @"relu"
    p = MaxPool(r) kernel_shape=[2,2] @"pool"
    y = Softmax(p) axis=-1)");
}

TEST(Save, RoundTripsAGraph) {
  const Graph graph = small_net();
  const Graph again = reloaded(graph);
  expect_round_trip(graph);
  EXPECT_EQ(again.opset, 13);
  EXPECT_EQ(again.name, "net");
  EXPECT_EQ(again.node(again.value(again.find("c")).producer).name, "conv");
  EXPECT_TRUE(
      identical(again.value(again.find("w")).constant, graph.value(graph.find("w")).constant));
}

TEST(Save, GivesNodesDifferentNames) {
  const Graph again = reloaded(braid::parse(R"(
    x: f32[4]
    a = Relu(x) @"n"
    b = Sigmoid(a) @"n"
    c = Tanh(b) @"n_1"
    y = Abs(c) @"n")"));
  std::set<std::string> names;
  for (const NodeId id : again.node_ids()) names.insert(again.node(id).name);
  EXPECT_EQ(names.size(), 4U);
  EXPECT_TRUE(names.contains("n"));
}

TEST(Save, WritesEveryOpset) {
  for (int opset = 7; opset <= 28; ++opset) {
    SaveOptions options;
    options.opset = opset;
    EXPECT_EQ(reloaded(small_net(), options).opset, opset);
  }
}

TEST(Save, RefusesAnOpsetThatLacksAnOperator) {
  const Graph graph = braid::parse(R"(
    x: f32[2,4]
    y = RMSNormalization(x, s: f32[4]) @"norm")");
  SaveOptions options;
  options.opset = 16;
  expect_error(ErrorKind::Unsupported,
               {"RMSNormalization", "opset 16", "'norm'", "while saving", "m.onnx"},
               [&] { reloaded(graph, options); });
  options.opset = 99;
  expect_error(ErrorKind::Usage, {"99"}, [&] { reloaded(graph, options); });
}

TEST(Save, ExpandsOperatorsThatAnOlderOpsetLacks) {
  const Graph graph = braid::parse(R"(graph "g" opset=11
    x: f32[2,3,4]
    n = LayerNormalization(x, s: f32[3,4], b: f32[4]) axis=1 epsilon=0.5
    g = Gelu(n)
    y = Gelu(g) approximate="tanh")");
  const Graph again = reloaded(graph);
  EXPECT_EQ(again.opset, 11);
  std::vector<float> numbers(24);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 7 % 24) - 9;
  const std::vector<Tensor> x = {Tensor::of<float>({2, 3, 4}, numbers)};
  const Tensor expected = evaluate(graph, x)[0];
  EXPECT_GT(difference(expected, Tensor::zeros(expected.type())).max_abs, 0.1);
  EXPECT_TRUE(all_close(evaluate(again, x)[0], expected, 1e-6, 1e-5));
}

TEST(Save, KeepsTheOpsetOrTakesTheNextThatHasAllOperators) {
  Graph graph = braid::parse(R"(graph "g" opset=9
    x: f32[2,4]
    y = RMSNormalization(x, s: f32[4]))");
  EXPECT_EQ(reloaded(graph).opset, 23);
  graph = braid::parse("x: f32[2]\ny = Relu(x)");
  EXPECT_EQ(reloaded(graph).opset, 17) << "a graph without an opset";
}

TEST(Save, NamesOutputsAsTheGraphDoes) {
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {2}});
  const ValueId w = graph.add_constant("w", Tensor::of<float>({2}, {1, 2}));
  const ValueId r = builder.add("Relu", {x}, {}, "r");
  graph.add_output(r, "first");
  graph.add_output(r, "second");
  graph.add_output(x);
  graph.add_output(x, "copy");
  graph.add_output(w, "weights");
  const ExportedModel exported = export_model(graph, 17);
  const auto& g = exported.model.graph();
  Strings outputs;
  for (const auto& output : g.output()) outputs.push_back(output.name());
  EXPECT_EQ(outputs, (Strings{"first", "second", "x", "copy", "weights"}));
  Strings nodes;
  for (const auto& n : g.node())
    nodes.push_back(n.output(0) + " = " + n.op_type() + "(" + n.input(0) + ")");
  EXPECT_EQ(nodes, (Strings{"first = Relu(x)", "second = Identity(first)", "copy = Identity(x)",
                            "weights = Identity(w)"}));
}

TEST(Save, RenamesAValueWhoseNameAnOutputTakes) {
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {2}});
  const ValueId y = builder.add("Relu", {x}, {}, "y");
  graph.add_output(builder.add("Relu", {y}, {}, "z"), "y");
  EXPECT_EQ(print(reloaded(graph)),
            "graph \"graph\" opset=17\nx: f32[2]\ny_1 = Relu(x) @\"y\"\ny = Relu(y_1) @\"z\"\n");
}

TEST(Save, PutsLargeModelsIntoTwoFiles) {
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {2, 64}});
  const ValueId w = graph.add_constant("w", Tensor::zeros({ElementType::F32, {64, 64}}));
  const ValueId v = graph.add_constant("v", Tensor::of<float>({64, 1}, std::vector<float>(64, 1)));
  graph.add_output(builder.add("MatMul", {builder.add("MatMul", {x, w}), v}));
  const Folder folder;
  SaveOptions options;
  options.external_data_threshold = 4096;
  save(graph, folder.path() / "m.onnx", options);
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "m.onnx.data"), 64 * 64 * 4);
  EXPECT_LT(std::filesystem::file_size(folder.path() / "m.onnx"), 4096);
  const Graph again = load(folder.path() / "m.onnx");
  EXPECT_EQ(hash(graph, HashWeights::Bytes), hash(again, HashWeights::Bytes));
}

TEST(Save, LeavesTheOldFileIfItFails) {
  const Folder folder;
  const auto path = folder.write("m.onnx", "old");
  SaveOptions options;
  options.progress = [](std::string_view, std::int64_t, std::int64_t) { return false; };
  expect_error(ErrorKind::Cancelled, {}, [&] { save(small_net(), path, options); });
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Save, MayOverwriteTheModelItReads) {
  const Folder folder;
  const auto path = folder.path() / "m.onnx";
  Graph graph;
  Builder builder(graph);
  const ValueId x = graph.add_input("x", {ElementType::F32, {1, 64}});
  graph.add_output(builder.add(
      "MatMul", {x, graph.add_constant("w", Tensor::zeros({ElementType::F32, {64, 64}}))}));
  save(graph, path);
  const Graph mapped = load(path);
  save(mapped, path);
  EXPECT_EQ(hash(load(path), HashWeights::Bytes), hash(graph, HashWeights::Bytes));
}

TEST(Save, StatesTypesOfEveryValue) {
  const ExportedModel exported = export_model(small_net(), 0);
  const auto& g = exported.model.graph();
  EXPECT_EQ(g.value_info_size(), 3);
  EXPECT_EQ(g.output(0).type().tensor_type().shape().dim_size(), 4);
  EXPECT_EQ(exported.model.ir_version(), 7);
  EXPECT_EQ(exported.initialisers.size(), 2);
}

TEST(Save, ExpandsFusedOperators) {
  const Graph graph = braid::parse(R"(graph "net" opset=17
    x: f32[1,3,8,8]
    r: f32[1,4,8,8]
    y = Conv(x, w: f32[4,3,3,3], b: f32[4], r) pads=[1,1,1,1] activation="relu" @"conv")");
  const ExportedModel exported = export_model(graph, 0);
  Strings ops;
  for (const auto& n : exported.model.graph().node()) ops.push_back(n.op_type());
  EXPECT_EQ(ops, (Strings{"Conv", "Add", "Relu"}));
  EXPECT_EQ(exported.model.graph().node(0).input_size(), 3);
  EXPECT_EQ(reloaded(graph).outputs().at(0).name, "y");
}

TEST(Save, WritesAHundredThousandNodes) {
  Graph graph;
  Builder builder(graph);
  ValueId last = graph.add_input("x", {ElementType::F32, {2}});
  for (int i = 0; i < 100'000; ++i) last = builder.add("Relu", {last});
  graph.add_output(last);
  EXPECT_EQ(reloaded(graph).node_count(), 100'000);
}

}  // namespace
}  // namespace braid::onnx
