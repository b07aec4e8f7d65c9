#include "zoo/zoo.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "cost/signature.h"
#include "device/cpu/kernels/panel_way.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "rewrite/canonicalise.h"

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

using ZooChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, ZooChoice, kEachMachine, name_of_machine);

/// The three numbers of lanes share the models among them, so each processor has all.
TEST_P(ZooChoice, HotOperatorsHaveFastKernels) {
  const int lanes = machine_described().lanes;
  const std::size_t share = lanes == 1 ? 0 : lanes == 2 ? 1 : 2;
  const auto device = make_device({});
  const std::vector<zoo::ZooModel> models = zoo::models();
  for (std::size_t i = share; i < models.size(); i += 3) {
    const zoo::ZooModel& model = models[i];
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

TEST(Zoo, CutsOfConvolutionsAndProductsKeepEveryBit) {
  std::mt19937 random(5);
  std::set<std::string> seen;
  for (const zoo::ZooModel& model : zoo::models()) {
    const Graph graph = canonicalise(zoo::build(model.name, {}), {}).graph;
    for (const NodeId id : graph.node_ids()) {
      const Node& node = graph.node(id);
      const bool is_sum = node.op == "Conv" || node.op == "Gemm" || node.op == "MatMul";
      if (!is_sum || !seen.insert(signature(graph, id, 1)).second) continue;
      Case c{node.op, node.attributes, {}};
      for (const ValueId input : node.inputs) {
        c.inputs.push_back(input.valid() ? random_tensor(graph.value(input).type.dims, random)
                                         : Tensor());
        c.constant.push_back(input.valid() && graph.is_constant(input));
      }
      const LaneSettings settings;
      CaseRunner runner(c);
      const Way way = prepare(runner.call());
      // Panels keep bits by construction, and cuts_test.cpp has smaller ones.
      if (is_full() || way.implementation != kPanels) runner.run_in_every_cut(way);
    }
  }
  EXPECT_GT(seen.size(), 200U);
}

}  // namespace
}  // namespace braid::cpu
