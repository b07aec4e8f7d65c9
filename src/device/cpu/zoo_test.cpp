#include "zoo/zoo.h"

#include <map>

#include <fmt/format.h>

#include "device/cpu/testing.h"

namespace braid::cpu {
namespace {

/// Operators that a model spends its time in.
bool is_hot(const Node& node) {
  for (const std::string_view op :
       {"Add", "AveragePool", "BatchNormalization", "Concat", "Conv", "Gemm", "MatMul", "MaxPool",
        "Mul", "Relu", "Sigmoid", "Softmax", "Tanh", "Transpose"})
    if (node.op == op) return true;
  return false;
}

TEST(Zoo, HotOperatorsHaveFastKernels) {
  const auto device = make_device({});
  for (const zoo::ZooModel& model : zoo::models()) {
    const Graph lowered = device->lower(zoo::build(model.name, {}), device->modelled_costs());
    for (const NodeId id : lowered.node_ids()) {
      const Node& node = lowered.node(id);
      const std::string& way = node.lowering.implementation;
      EXPECT_FALSE(way.empty()) << describe(lowered, id);
      EXPECT_FALSE(way.starts_with("onednn:ref")) << describe(lowered, id);
      if (is_hot(node) && lowered.value(node.outputs[0]).type.element == ElementType::F32) {
        EXPECT_NE(way, "evaluate") << model.name << ": " << describe(lowered, id);
      }
    }
  }
}

}  // namespace
}  // namespace braid::cpu
