#include "onnx/load.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "graph/verify.h"
#include "onnx/testing/models.h"

namespace braid::onnx {
namespace {

using namespace testing;

TEST(Load, ReadsAPlainModel) {
  auto m = model_of({node("Relu", {"x"}, {"h"}, "first"), node("Relu", {"h"}, {"y"}, "second")});
  EXPECT_EQ(text(m), R"(graph "g" opset=17
x: f32[2,3]
h = Relu(x) @"first"
y = Relu(h) @"second"
)");
}

TEST(Load, AcceptsEveryOpsetFrom7To28) {
  for (int opset = 7; opset <= 28; ++opset)
    EXPECT_EQ(load_model(model_of({node("Relu", {"x"}, {"y"})}, opset)).opset, opset);
}

TEST(Load, RefusesOtherVersions) {
  for (int opset : {6, 29, 9999})
    expect_error(ErrorKind::Unsupported, {"opset", std::to_string(opset)},
                 [&] { load_model(model_of({node("Relu", {"x"}, {"y"})}, opset)); });
  for (int opset : {0, -1})
    expect_error(ErrorKind::Model, {"opset", std::to_string(opset)},
                 [&] { load_model(model_of({node("Relu", {"x"}, {"y"})}, opset)); });
  expect_error(ErrorKind::Unsupported, {"IR version 15"}, [] { load_model(model(17, 15)); });
  expect_error(ErrorKind::Model, {"no IR version"}, [] { load_model(proto::ModelProto()); });
  auto none = model_of({node("Relu", {"x"}, {"y"})});
  none.clear_opset_import();
  expect_error(ErrorKind::Model, {"opset"}, [&] { load_model(none); });
}

TEST(Load, TakesAiOnnxAsTheStandardDomain) {
  auto n = node("Relu", {"x"}, {"y"});
  n.set_domain("ai.onnx");
  auto m = model_of({n});
  m.mutable_opset_import(0)->set_domain("ai.onnx");
  EXPECT_EQ(load_model(m).opset, 17);
}

TEST(Load, NamesUnknownOperatorsAndDomains) {
  expect_error(ErrorKind::Unsupported, {"'Frobnicate'", "opset 17", "'odd' (Frobnicate)"},
               [] { load_model(model_of({node("Frobnicate", {"x"}, {"y"}, "odd")})); });
  auto n = node("FusedConv", {"x"}, {"y"}, "fused");
  n.set_domain("com.microsoft");
  auto m = model_of({n});
  auto* opset = m.add_opset_import();
  opset->set_domain("com.microsoft");
  opset->set_version(1);
  expect_error(ErrorKind::Unsupported, {"'FusedConv'", "'com.microsoft'", "version 1", "'fused'"},
               [&] { load_model(m); });
}

TEST(Load, RefusesAnOperatorBeforeItsFirstOpset) {
  expect_error(ErrorKind::Model, {"LayerNormalization", "opset 17", "opset 9"},
               [] { load_model(model_of({node("LayerNormalization", {"x", "x"}, {"y"})}, 9)); });
}

TEST(Load, SortsNodes) {
  auto m = model_of(
      {node("Relu", {"b"}, {"y"}), node("Relu", {"a"}, {"b"}), node("Relu", {"x"}, {"a"})});
  EXPECT_EQ(text(m), R"(graph "g" opset=17
x: f32[2,3]
a = Relu(x)
b = Relu(a)
y = Relu(b)
)");
}

TEST(Load, NamesANodeOfACycle) {
  expect_error(ErrorKind::Model, {"cycle", "'loop' (Relu)"},
               [] { load_model(model_of({node("Relu", {"y"}, {"y"}, "loop")})); });
  std::vector<proto::NodeProto> ring;
  for (int i = 0; i < 10000; ++i)
    ring.push_back(node("Relu", {std::to_string((i + 1) % 10000)}, {std::to_string(i)}));
  expect_error(ErrorKind::Model, {"cycle"}, [&] { load_model(model_of(ring, 17, {"2"}, {"0"})); });
}

TEST(Load, AllowsUnnamedAndEquallyNamedNodes) {
  const Graph graph =
      load_model(model_of({node("Relu", {"x"}, {"a"}, "same"), node("Relu", {"a"}, {"b"}, "same"),
                           node("Relu", {"b"}, {"y"})}));
  EXPECT_EQ(graph.node_count(), 3);
  EXPECT_EQ(graph.node(graph.value(graph.find("b")).producer).name, "same");
}

TEST(Load, RefusesValuesThatAreDefinedTwice) {
  const auto relu = node("Relu", {"x"}, {"y"});
  expect_error(ErrorKind::Model, {"'y'", "twice"}, [&] { load_model(model_of({relu, relu})); });
  expect_error(ErrorKind::Model, {"'x'", "twice"}, [&] {
    load_model(model_of({with_float(node("Constant", {}, {"x"}), "value_float", 1)}, 17, {"2"}));
  });
  auto inputs = model_of({relu});
  *inputs.mutable_graph()->add_input() = value_info("x", {"2"});
  expect_error(ErrorKind::Model, {"'x'", "twice"}, [&] { load_model(inputs); });
  auto initialisers = model_of({relu});
  for (int i = 0; i < 2; ++i)
    *initialisers.mutable_graph()->add_initializer() = raw_tensor<float>("w", {1}, {1});
  expect_error(ErrorKind::Model, {"'w'", "twice"}, [&] { load_model(initialisers); });
}

TEST(Load, RefusesValuesThatNothingProduces) {
  expect_error(ErrorKind::Model, {"'missing'", "'lost' (Relu)"},
               [] { load_model(model_of({node("Relu", {"missing"}, {"y"}, "lost")})); });
  expect_error(ErrorKind::Model, {"'y'"}, [] { load_model(model_of({})); });
}

TEST(Load, ReadsModelsWithoutNodes) {
  EXPECT_EQ(text(model_of({}, 17, {"2"}, {"x"})), "graph \"g\" opset=17\nx: f32[2]\nreturn x\n");
  auto constant = model(17);
  *constant.mutable_graph()->add_initializer() = raw_tensor<float>("w", {2}, {1, 2});
  constant.mutable_graph()->add_output()->set_name("w");
  const Graph graph = load_model(constant);
  EXPECT_TRUE(graph.is_constant(graph.outputs().at(0).value));
}

TEST(Load, GivesAnOutputListedTwiceASecondName) {
  const Graph graph =
      load_model(model_of({node("Relu", {"x"}, {"y"})}, 17, {"2"}, {"y", "y", "y"}));
  ASSERT_EQ(graph.outputs().size(), 3);
  EXPECT_EQ(graph.outputs()[0].name, "y");
  EXPECT_NE(graph.outputs()[1].name, graph.outputs()[2].name);
  EXPECT_EQ(graph.outputs()[0].value, graph.outputs()[2].value);
}

TEST(Load, IgnoresEmptyNamesAtTheEnd) {
  const auto pool = [](const Strings& inputs, const Strings& outputs) {
    return with_ints(node("MaxPool", inputs, outputs), "kernel_shape", {2});
  };
  const Strings dims = {"1", "1", "4"};
  EXPECT_EQ(text(model_of({pool({"x", "", ""}, {"y", ""}), node("Relu", {"x"}, {""})}, 17, dims)),
            text(model_of({pool({"x"}, {"y"})}, 17, dims)));
}

TEST(Load, TakesInitialisersThatAreInputsAsConstants) {
  auto m = model_of({node("MatMul", {"x", "w"}, {"y"})}, 8, {"2"});
  m.set_ir_version(3);
  *m.mutable_graph()->add_input() = value_info("w", {"2"});
  *m.mutable_graph()->add_initializer() = raw_tensor<float>("w", {2}, {1, 2});
  const Graph graph = load_model(m);
  EXPECT_EQ(graph.inputs().size(), 1);
  EXPECT_TRUE(graph.is_constant(graph.find("w")));

  LoadOptions options;
  options.fixed_inputs["w"] = Tensor::of<float>({2}, {7, 8});
  const Graph fixed = load_model(m, options);
  EXPECT_EQ(fixed.value(fixed.find("w")).constant.data<float>()[0], 7);
}

TEST(Load, KeepsOptionalInputsApart) {
  auto m = model_of({node("Dropout", {"x", "", "training"}, {"y"})});
  auto& training = *m.mutable_graph()->add_initializer();
  training.set_name("training");
  training.set_data_type(proto::TensorProto::BOOL);
  training.add_int32_data(0);
  const Graph graph = load_model(m);
  const Node& dropout = graph.node(graph.value(graph.find("y")).producer);
  ASSERT_EQ(dropout.inputs.size(), 3);
  EXPECT_FALSE(dropout.inputs[1].valid());
  EXPECT_TRUE(dropout.inputs[2].valid());
}

// The plain RNN once read the weights that were not there.
TEST(Load, RefusesNodesWithoutARequiredInput) {
  auto rnn = with_int(node("RNN", {"x", "", "r"}, {"", "y"}, "culprit"), "hidden_size", 4);
  auto made = model_of({rnn}, 17, {"1", "3", "2"});
  *made.mutable_graph()->add_input() = value_info("r", {"1", "4", "4"});
  expect_error(ErrorKind::Model, {"culprit", "input 1 of RNN may not be absent"},
               [&] { load_model(made); });
}

// This was once an internal error.
TEST(Load, RefusesAttributesThatLackTheirTensor) {
  auto constant = node("Constant", {}, {"y"}, "culprit");
  add_attribute(constant, "value", proto::AttributeProto::TENSOR);
  expect_error(ErrorKind::Model, {"culprit", "attribute 'value' has no tensor"},
               [&] { load_model(model_of({constant})); });
}

TEST(Load, RefusesWhatIsNotATensor) {
  auto sequence = model_of({node("Relu", {"x"}, {"y"})});
  sequence.mutable_graph()->mutable_input(0)->mutable_type()->mutable_sequence_type();
  expect_error(ErrorKind::Unsupported, {"'x'", "tensor"}, [&] { load_model(sequence); });
  auto int4 = model_of({node("Relu", {"x"}, {"y"})});
  *int4.mutable_graph()->mutable_input(0) = value_info("x", {"2"}, proto::TensorProto::INT4);
  expect_error(ErrorKind::Unsupported, {"'x'", "INT4"}, [&] { load_model(int4); });
  auto sparse = model_of({node("Relu", {"x"}, {"y"})});
  sparse.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("s");
  expect_error(ErrorKind::Unsupported, {"'s'", "sparse"}, [&] { load_model(sparse); });
}

TEST(Load, RefusesBadAttributes) {
  auto twice = with_int(with_int(node("Relu", {"x"}, {"y"}), "a", 1), "a", 2);
  expect_error(ErrorKind::Model, {"'a'", "twice"}, [&] { load_model(model_of({twice})); });
  auto unknown = with_int(node("Relu", {"x"}, {"y"}), "slope", 1);
  expect_error(ErrorKind::Model, {"'slope'"}, [&] { load_model(model_of({unknown})); });
  auto reference = node("Relu", {"x"}, {"y"});
  add_attribute(reference, "a", proto::AttributeProto::INT).set_ref_attr_name("b");
  expect_error(ErrorKind::Model, {"'a'", "function"}, [&] { load_model(model_of({reference})); });
}

TEST(Load, RefusesAttributesAndInputsOfBraidsOwn) {
  auto conv = with_text(node("MatMul", {"x", "w"}, {"y"}), "activation", "relu");
  auto m = model_of({conv});
  *m.mutable_graph()->add_initializer() = raw_tensor<float>("w", {3, 1}, {1, 2, 3});
  expect_error(ErrorKind::Model, {"ONNX does not define", "MatMul"}, [&] { load_model(m); });
}

TEST(Load, MakesNamesSafeToPrint) {
  expect_error(ErrorKind::Model, {"UTF-8"},
               [] { load_model(model_of({node("Relu", {"x"}, {"\xff\xfe"})}, 17, {"2"}, {"x"})); });
  expect_error(ErrorKind::Quota, {"name_bytes"}, [] {
    load_model(model_of({node("Relu", {"x"}, {std::string(1 << 20, 'a')})}, 17, {"2"}, {"x"}));
  });
  try {
    load_model(model_of({node("Nope\x1b[31m\n", {"x"}, {"y"}, "a\nb")}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
    EXPECT_EQ(std::string(error.message()).find('\n'), std::string::npos);
  }
}

TEST(Load, ChecksTheDeclaredElementTypeOfOutputs) {
  auto m = model_of({node("Relu", {"x"}, {"y"})});
  *m.mutable_graph()->mutable_output(0) = value_info("y", {}, proto::TensorProto::INT64);
  expect_error(ErrorKind::Model, {"'y'", "f32"}, [&] { load_model(m); });
}

TEST(Load, CanBeCancelled) {
  LoadOptions options;
  options.progress = [](std::string_view, std::int64_t, std::int64_t) { return false; };
  expect_error(ErrorKind::Cancelled, {},
               [&] { load_model(model_of({node("Relu", {"x"}, {"y"})}), options); });
}

TEST(Load, ReadsAHundredThousandNodes) {
  std::vector<proto::NodeProto> chain;
  std::string last = "x";
  for (int i = 0; i < 100'000; ++i) {
    chain.push_back(node("Relu", {last}, {"v" + std::to_string(i)}));
    last = chain.back().output(0);
  }
  std::reverse(chain.begin(), chain.end());
  EXPECT_EQ(load_model(model_of(chain, 17, {"2"}, {last})).node_count(), 100'000);
}

TEST(Load, NamesTheFile) {
  const Folder folder;
  const auto path = folder.write("broken.onnx", "nonsense");
  expect_error(ErrorKind::Model, {"not a valid ONNX file", "while loading", "broken.onnx"},
               [&] { load(path); });
  expect_error(ErrorKind::Model, {"cannot open", "absent.onnx"},
               [&] { load(folder.path() / "absent.onnx"); });
  expect_error(ErrorKind::Model, {"not a regular file"}, [&] { load(folder.path()); });
  expect_error(ErrorKind::Model, {"not a regular file"}, [] { load("/dev/zero"); });
  expect_error(ErrorKind::Model, {"IR version"}, [&] { load(folder.write("empty.onnx", "")); });
}

}  // namespace
}  // namespace braid::onnx
