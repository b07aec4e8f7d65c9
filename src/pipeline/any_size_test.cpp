#include "pipeline/any_size.h"

#include <fstream>

#include <gtest/gtest.h>

#include "devices/open.h"
#include "graph/text.h"
#include "onnx/model_header.h"
#include "onnx/save.h"
#include "onnx/testing/models.h"
#include "pipeline/replay.h"

namespace braid {
namespace {

using namespace onnx::testing;

using Symbols = std::vector<std::optional<std::string>>;

onnx::proto::ModelProto grouped_model() {
  auto m =
      model_of({with_int(node("Conv", {"x", "w"}, {"c"}), "group", 2), node("Relu", {"c"}, {"y"})},
               17, {"batch", "4", "h", "h"}, {});
  *m.mutable_graph()->add_output() = value_info("y", {"batch", "2", "?", "?"});
  *m.mutable_graph()->add_initializer() =
      raw_tensor<float>("w", {2, 2, 3, 3}, std::vector<float>(36, 1));
  return m;
}

/// A model, bound to sizes and rewritten by moves, and what of it is said to hold for any size.
class OpenSizes : public ::testing::Test {
 protected:
  AnySize of(const onnx::proto::ModelProto& model, const Dims& dims,
             const std::vector<Round>& rounds, bool for_any_size = true) {
    path = folder.write("m.onnx", model.SerializeAsString());
    bound.shapes["x"] = dims;
    const auto device = open_device("cpu");
    Optimised result;
    Canonical rewritten = canonical(onnx::load(path, bound), *device, {});
    rewritten.graph = replayed(rewritten.graph, rounds, *device);
    result.model = std::make_shared<const Canonical>(std::move(rewritten));
    result.rounds = rounds;
    result.for_any_size = for_any_size;
    AnySize any = open_sizes(path, bound, result, *device, {});
    graph = result.model->graph;
    return any;
  }

  Folder folder;
  std::filesystem::path path;
  onnx::LoadOptions bound;
  Graph graph;
};

TEST_F(OpenSizes, StayOpenWhereTheSameModelComesOut) {
  const std::vector<Round> rounds = {{{.rule = "merge-groups", .anchor = "y", .parameters = {2}}}};
  const AnySize any = of(grouped_model(), {1, 4, 8, 8}, rounds);
  EXPECT_EQ(any.why_fixed, "");
  EXPECT_EQ(any.open.at("x"), (Symbols{"batch", std::nullopt, "h", "h"}));
  EXPECT_EQ(any.open.at("y"), (Symbols{"batch", std::nullopt, "", ""}));
  onnx::SaveOptions save;
  save.open = any.open;
  onnx::save(graph, folder.path() / "out.onnx", save);
  onnx::LoadOptions other;
  other.dims = {{"batch", 3}, {"h", 5}};
  const Graph again = onnx::load(folder.path() / "out.onnx", other);
  EXPECT_EQ(again.value(again.outputs()[0].value).type.dims, (Dims{3, 2, 3, 3}));
}

TEST_F(OpenSizes, AreFixedByARuleForOneSize) {
  const AnySize any = of(grouped_model(), {1, 4, 8, 8}, {}, false);
  EXPECT_TRUE(any.open.empty());
  EXPECT_NE(any.why_fixed.find("holds for one size only"), std::string::npos);
}

TEST_F(OpenSizes, AreFixedWhereAShapeWasFolded) {
  auto m = model_of({node("Shape", {"x"}, {"s"}), node("Reshape", {"x", "flat"}, {"f"}),
                     node("Relu", {"f"}, {"r"}), node("Reshape", {"r", "s"}, {"y"})},
                    17, {"n", "3"});
  *m.mutable_graph()->add_initializer() = raw_tensor<std::int64_t>("flat", {1}, {-1});
  EXPECT_NE(of(m, {2, 3}, {}).why_fixed.find("it would be another graph"), std::string::npos);
}

TEST_F(OpenSizes, AreFixedWherePadsDependOnThem) {
  auto m = grouped_model();
  auto* conv = m.mutable_graph()->mutable_node(0);
  *conv = with_text(with_ints(*conv, "strides", {2, 2}), "auto_pad", "SAME_UPPER");
  const std::vector<Round> rounds = {{{.rule = "merge-groups", .anchor = "y", .parameters = {2}}}};
  EXPECT_NE(of(m, {1, 4, 8, 8}, rounds).why_fixed, "");
}

TEST_F(OpenSizes, AreFixedIfTheModelTakesNoOthers) {
  auto m = model_of({node("Add", {"x", "w"}, {"y"})}, 17, {"n", "3"});
  *m.mutable_graph()->add_node() = node("MatMul", {"w", "x"}, {"z"});
  m.mutable_graph()->add_output()->set_name("z");
  *m.mutable_graph()->add_initializer() = raw_tensor<float>("w", {3, 3}, std::vector<float>(9, 1));
  EXPECT_NE(of(m, {3, 3}, {}).why_fixed.find("accepts none"), std::string::npos);
}

TEST_F(OpenSizes, AreNotAskedForIfTheModelLeavesNothingOpen) {
  const AnySize any = of(model_of({node("Relu", {"x"}, {"y"})}), {2, 3}, {});
  EXPECT_TRUE(any.open.empty());
  EXPECT_EQ(any.why_fixed, "");
}

}  // namespace
}  // namespace braid
