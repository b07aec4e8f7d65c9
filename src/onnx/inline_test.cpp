#include <gtest/gtest.h>

#include "graph/text.h"
#include "graph/verify.h"
#include "onnx/load.h"
#include "onnx/testing/models.h"
#include "ops/op.h"

namespace braid::onnx {
namespace {

using namespace testing;

proto::NodeProto call(const std::string& function, const Strings& inputs, const Strings& outputs,
                      const std::string& name = {}) {
  auto made = node(function, inputs, outputs, name);
  made.set_domain("local");
  return made;
}

proto::FunctionProto& add_function(proto::ModelProto& m, const std::string& name,
                                   const Strings& inputs, const Strings& outputs,
                                   const std::vector<proto::NodeProto>& nodes, int opset = 17) {
  auto& f = *m.add_functions();
  f.set_domain("local");
  f.set_name(name);
  for (const auto& input : inputs) f.add_input(input);
  for (const auto& output : outputs) f.add_output(output);
  for (const auto& n : nodes) *f.add_node() = n;
  f.add_opset_import()->set_version(opset);
  return f;
}

TEST(Functions, AreInlinedUnderTheCallersNames) {
  auto m = model_of({call("F", {"x"}, {"a"}, "one"), call("F", {"a"}, {"y"}, "two")});
  add_function(m, "F", {"in"}, {"out"},
               {node("Relu", {"in"}, {"mid"}), node("Relu", {"mid"}, {"out"})});
  EXPECT_EQ(text(m), R"(graph "g" opset=17
x: f32[2,3]
one/mid = Relu(x)
a = Relu(one/mid)
two/mid = Relu(a)
y = Relu(two/mid)
)");
}

TEST(Functions, DoNotTakeNamesOfTheModel) {
  auto m = model_of({call("F", {"x"}, {"a"}, "f"), node("Relu", {"a"}, {"f/mid"}),
                     node("Relu", {"f/mid"}, {"y"})});
  add_function(m, "F", {"in"}, {"out"},
               {node("Relu", {"in"}, {"mid"}), node("Relu", {"mid"}, {"out"})});
  const Graph graph = load_model(m);
  EXPECT_EQ(graph.value(graph.node(graph.value(graph.find("f/mid")).producer).inputs[0]).name, "a");
}

TEST(Functions, MayCallFunctionsAndPassAttributesOn) {
  auto outer = call("Outer", {"x"}, {"y"});
  add_attribute(outer, "how", proto::AttributeProto::INT).set_i(0);
  auto m = model_of({outer}, 17, {"2", "3"});
  auto inner = call("Inner", {"a"}, {"b"});
  add_attribute(inner, "axis", proto::AttributeProto::INT).set_ref_attr_name("how");
  add_function(m, "Outer", {"a"}, {"b"}, {inner}).add_attribute("how");
  auto softmax = node("Softmax", {"p"}, {"q"});
  add_attribute(softmax, "axis", proto::AttributeProto::INT).set_ref_attr_name("axis");
  add_function(m, "Inner", {"p"}, {"q"}, {softmax}).add_attribute("axis");
  EXPECT_EQ(text(m), "graph \"g\" opset=17\nx: f32[2,3]\ny = Softmax(x) axis=0\n");
}

TEST(Functions, UseDefaultsOfAttributesOrNone) {
  auto softmax = node("Softmax", {"p"}, {"q"});
  add_attribute(softmax, "axis", proto::AttributeProto::INT).set_ref_attr_name("axis");
  auto m = model_of({call("F", {"x"}, {"y"})});
  auto& f = add_function(m, "F", {"p"}, {"q"}, {softmax});
  EXPECT_EQ(text(m), "graph \"g\" opset=17\nx: f32[2,3]\ny = Softmax(x)\n");
  auto& axis = *f.add_attribute_proto();
  axis.set_name("axis");
  axis.set_type(proto::AttributeProto::INT);
  axis.set_i(1);
  EXPECT_EQ(text(m), "graph \"g\" opset=17\nx: f32[2,3]\ny = Softmax(x) axis=1\n");
}

TEST(Functions, HaveAnOpsetOfTheirOwn) {
  auto m = model_of({call("F", {"x"}, {"y"})}, 17, {"2", "3", "4"});
  add_function(m, "F", {"p"}, {"q"}, {with_int(node("Softmax", {"p"}, {"q"}), "axis", 2)}, 9);
  EXPECT_EQ(text(m), "graph \"g\" opset=17\nx: f32[2,3,4]\ny = Softmax(x) axis=-1\n");
}

TEST(Functions, MayLackOptionalInputsAndOutputs) {
  auto m = model_of({call("F", {"x", ""}, {"y", ""}, "f")});
  add_function(m, "F", {"p", "unused"}, {"q", "r"},
               {node("Relu", {"p"}, {"q"}), node("Relu", {"q"}, {"r"})});
  EXPECT_EQ(load_model(m).outputs().at(0).name, "y");
}

TEST(Functions, MayPassValuesThrough) {
  auto m = model_of({call("F", {"x"}, {"a", "y", "z"}, "f")}, 17, {"2"}, {"a", "y", "z"});
  add_function(m, "F", {"p"}, {"p", "q", "q"}, {node("Relu", {"p"}, {"q"})});
  EXPECT_EQ(text(m), R"(graph "g" opset=17
x: f32[2]
y = Relu(x)
a = Identity(x) @"a"
z = Identity(y) @"z"
return a, y, z
)");
}

TEST(Functions, MayNotCallThemselves) {
  auto direct = model_of({call("F", {"x"}, {"y"}, "start")});
  add_function(direct, "F", {"a"}, {"b"}, {call("F", {"a"}, {"b"})});
  expect_error(ErrorKind::Model, {"'F'", "calls itself", "'start'"}, [&] { load_model(direct); });
  auto mutual = model_of({call("F", {"x"}, {"y"})});
  add_function(mutual, "F", {"a"}, {"b"}, {call("G", {"a"}, {"b"})});
  add_function(mutual, "G", {"a"}, {"b"}, {call("F", {"a"}, {"b"})});
  expect_error(ErrorKind::Model, {"calls itself"}, [&] { load_model(mutual); });
}

TEST(Functions, ThatMultiplyAreLimited) {
  auto m = model_of({call("F0", {"x"}, {"y"})});
  for (int i = 0; i < 30; ++i)
    add_function(m, "F" + std::to_string(i), {"a"}, {"c"},
                 {call("F" + std::to_string(i + 1), {"a"}, {"b"}),
                  call("F" + std::to_string(i + 1), {"b"}, {"c"})});
  add_function(m, "F30", {"a"}, {"c"}, {node("Relu", {"a"}, {"c"})});
  LoadOptions options;
  options.quotas.nodes = 10'000;
  expect_error(ErrorKind::Quota, {"'nodes'"}, [&] { load_model(m, options); });
  options.quotas.nesting = 10;
  expect_error(ErrorKind::Quota, {"'nesting'"}, [&] { load_model(m, options); });
}

TEST(Functions, ReportBadCalls) {
  auto m = model_of({call("F", {"x", "x"}, {"y"})});
  add_function(m, "F", {"a"}, {"b"}, {node("Relu", {"a"}, {"b"})});
  expect_error(ErrorKind::Model, {"'F'", "1 inputs"}, [&] { load_model(m); });
  auto missing = model_of({call("F", {"x"}, {"y"})});
  add_function(missing, "F", {"a"}, {"b"}, {});
  expect_error(ErrorKind::Model, {"'b'"}, [&] { load_model(missing); });
  add_function(missing, "F", {"a"}, {"b"}, {});
  expect_error(ErrorKind::Model, {"'F'", "twice"}, [&] { load_model(missing); });
}

TEST(Functions, ErrorsTellTheCalls) {
  auto m = model_of({call("F", {"x"}, {"y"}, "outer")});
  add_function(m, "F", {"a"}, {"b"}, {node("Nonsense", {"a"}, {"b"}, "inner")});
  expect_error(ErrorKind::Unsupported,
               {"'Nonsense'", "node 'inner' (Nonsense)", "node 'outer' (F)"},
               [&] { load_model(m); });
}

proto::GraphProto branch(const std::vector<proto::NodeProto>& nodes, const Strings& outputs) {
  proto::GraphProto g;
  for (const auto& n : nodes) *g.add_node() = n;
  for (const auto& output : outputs) g.add_output()->set_name(output);
  return g;
}

proto::NodeProto if_node(const std::string& condition, const Strings& outputs,
                         const proto::GraphProto& then, const proto::GraphProto& otherwise,
                         const std::string& name = "if") {
  auto made = node("If", {condition}, outputs, name);
  *add_attribute(made, "then_branch", proto::AttributeProto::GRAPH).mutable_g() = then;
  *add_attribute(made, "else_branch", proto::AttributeProto::GRAPH).mutable_g() = otherwise;
  return made;
}

proto::ModelProto if_model(bool condition, const std::vector<proto::NodeProto>& nodes,
                           const Strings& outputs = {"y"}) {
  auto m = model_of(nodes, 17, {"2", "3"}, outputs);
  auto& c = *m.mutable_graph()->add_initializer();
  c.set_name("c");
  c.set_data_type(proto::TensorProto::BOOL);
  c.add_int32_data(condition ? 1 : 0);
  return m;
}

const auto relu = [](const std::string& in, const std::string& out) {
  return node("Relu", {in}, {out});
};

TEST(If, OnAConstantBecomesItsBranch) {
  const auto one = branch({relu("x", "r")}, {"r"});
  const auto two = branch({relu("x", "m"), relu("m", "r")}, {"r"});
  EXPECT_EQ(text(if_model(true, {if_node("c", {"y"}, one, two)})),
            "graph \"g\" opset=17\nx: f32[2,3]\ny = Relu(x)\n");
  EXPECT_EQ(text(if_model(false, {if_node("c", {"y"}, one, two)})),
            "graph \"g\" opset=17\nx: f32[2,3]\nif/m = Relu(x)\ny = Relu(if/m)\n");
}

TEST(If, MayCaptureWhatComesLaterInTheFile) {
  const auto body = branch({relu("late", "r")}, {"r"});
  EXPECT_EQ(text(if_model(true, {if_node("c", {"y"}, body, body), relu("x", "late")})),
            "graph \"g\" opset=17\nx: f32[2,3]\nlate = Relu(x)\ny = Relu(late)\n");
}

TEST(If, InnerNamesHideOuterOnes) {
  const auto body = branch({relu("x", "a"), relu("a", "r")}, {"r"});
  EXPECT_EQ(text(if_model(true, {relu("x", "a"), if_node("c", {"y"}, body, body)}, {"y", "a"})),
            R"(graph "g" opset=17
x: f32[2,3]
a = Relu(x)
if/a = Relu(x)
y = Relu(if/a)
return y, a
)");
}

TEST(If, BranchesMayHaveInitialisersAndNestedIfs) {
  auto inner = branch({node("MatMul", {"x", "w"}, {"r"})}, {"r"});
  *inner.add_initializer() = raw_tensor<float>("w", {3, 1}, {1, 2, 3});
  const auto outer = branch({if_node("c", {"q"}, inner, inner, "nested")}, {"q"});
  const Graph graph = load_model(if_model(true, {if_node("c", {"y"}, outer, outer)}));
  EXPECT_EQ(graph.node_count(), 1);
  EXPECT_EQ(graph.value(graph.find("y")).type.dims, (Dims{2, 1}));
}

TEST(If, OnAComputedConstantBecomesItsBranch) {
  const auto one = branch({relu("x", "r")}, {"r"});
  const auto two = branch({}, {"x"});
  auto m = model_of({node("Shape", {"x"}, {"s"}), node("Size", {"s"}, {"n"}),
                     node("Equal", {"n", "two"}, {"c"}), if_node("c", {"y"}, one, two)});
  *m.mutable_graph()->add_initializer() = raw_tensor<std::int64_t>("two", {}, {2});
  EXPECT_EQ(load_model(m).find("if/r"), ValueId());
  EXPECT_NE(text(m).find("y = Relu(x)"), std::string::npos) << text(m);
  *m.mutable_graph()->mutable_initializer(0) = raw_tensor<std::int64_t>("two", {}, {3});
  EXPECT_NE(text(m).find("y = Identity(x)"), std::string::npos) << text(m);
}

TEST(If, OnAnInputIsUnsupported) {
  const auto body = branch({relu("x", "r")}, {"r"});
  auto m = model_of({if_node("flag", {"y"}, body, body, "choice")});
  *m.mutable_graph()->add_input() = value_info("flag", {}, proto::TensorProto::BOOL);
  expect_error(ErrorKind::Unsupported, {"'flag'", "'choice' (If)"}, [&] { load_model(m); });
  try {
    load_model(m);
  } catch (const ValueNeeded& needed) {
    EXPECT_EQ(needed.graph_inputs(), (Strings{"flag"}));
  }
  LoadOptions options;
  options.fixed_inputs["flag"] = Tensor::scalar(true);
  EXPECT_EQ(load_model(m, options).node_count(), 1);
}

TEST(If, RefusesBadBranches) {
  const auto good = branch({relu("x", "r")}, {"r"});
  const auto few = branch({}, {});
  expect_error(ErrorKind::Model, {"outputs"},
               [&] { load_model(if_model(true, {if_node("c", {"y"}, few, good)})); });
  auto no_branch = node("If", {"c"}, {"y"});
  expect_error(ErrorKind::Model, {"then_branch"}, [&] { load_model(if_model(true, {no_branch})); });
  auto with_input = good;
  *with_input.add_input() = value_info("i", {});
  expect_error(ErrorKind::Model, {"1 inputs"},
               [&] { load_model(if_model(true, {if_node("c", {"y"}, with_input, good)})); });
  expect_error(ErrorKind::Model, {"boolean"}, [&] {
    auto m = if_model(true, {if_node("c", {"y"}, good, good)});
    *m.mutable_graph()->mutable_initializer(0) = raw_tensor<float>("c", {}, {1});
    load_model(m);
  });
  expect_error(ErrorKind::Unsupported, {"'Loop'", "'l' (Loop)"},
               [] { load_model(model_of({node("Loop", {"", "", "x"}, {"y"}, "l")})); });
}

TEST(If, MayNotHideARecursion) {
  auto m = if_model(true, {call("F", {"x", "c"}, {"y"})});
  const auto again = branch({call("F", {"a", "c"}, {"b"})}, {"b"});
  add_function(m, "F", {"a", "c"}, {"r"}, {if_node("c", {"r"}, again, again)});
  expect_error(ErrorKind::Model, {"'F'", "calls itself"}, [&] { load_model(m); });
}

}  // namespace
}  // namespace braid::onnx
