#include "device/cpu/lowering/join_separable.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "graph/text.h"
#include "ops/builder.h"

namespace braid::cpu {
namespace {

/// What was asked for, and one answer to all of it.
struct Chooser {
  std::string answer;
  std::vector<std::string> asked = {};

  ChooseWay choose() {
    return [this](const WayQuestion& question) {
      const Graph all = question.all();
      if (all.node(all.node_ids().front()).op != "SeparableConv") return std::vector<std::string>{};
      for (const NodeId id : all.node_ids()) asked.push_back(all.node(id).lowering.implementation);
      return std::vector{answer};
    };
  }
};

/// A pair with a value between that is four times as large as the second-level cache or, if it is
/// to stay there, half as large.
Graph pair(bool stays, std::string_view more = "") {
  const std::int64_t pixels = 4 * machine().second_level_bytes / (64 * std::int64_t{sizeof(float)});
  return parse(fmt::format(R"(
      x: f32[1,64,{},32]
      a = Conv(x, u: f32[64,1,3,3], ub: f32[64]) group=64 pads=[1,1,1,1] activation="relu"
      b = Conv(a, v: f32[64,64,1,1], vb: f32[64], x) activation="relu"
      y = Conv(b, w: f32[16,64,1,1])
      {})",
                           pixels / 32 / (stays ? 8 : 1), more));
}

Graph lowered(const Graph& graph, Chooser& chooser) {
  const auto device = make_device({});
  return device->lower(graph, {.costs = device->modelled_costs(), .choose = chooser.choose()})
      .graph;
}

std::string way_of(const Graph& graph, std::string_view value) {
  const ValueId id = graph.find(value);
  return id.valid() ? graph.node(graph.value(id).producer).lowering.implementation : "none";
}

using JoinChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, JoinChoice, kEachMachine, name_of_machine);

TEST_P(JoinChoice, JoinsPairsThatAreChosen) {
  Chooser chooser{"separable"};
  const Graph graph = lowered(pair(false), chooser);
  EXPECT_EQ(chooser.asked, (std::vector<std::string>{"apart", "separable"}));
  EXPECT_EQ(way_of(graph, "a"), "none") << print(graph);
  EXPECT_EQ(way_of(graph, "b"), "separable");
  EXPECT_EQ(graph.value(graph.find("b")).layout, "nhwc");
}

TEST_P(JoinChoice, LeavesPairsThatAreNotChosen) {
  for (const char* answer : {"apart", "panels", "another"}) {
    Chooser chooser{answer};
    const Graph graph = lowered(pair(false), chooser);
    EXPECT_EQ(way_of(graph, "a"), "depthwise") << print(graph);
    EXPECT_EQ(way_of(graph, "b"), "panels");
  }
}

TEST_P(JoinChoice, LeavesPairsIfNobodyChooses) {
  const auto device = make_device({});
  const Graph graph = device->lower(pair(false), device->modelled_costs());
  EXPECT_EQ(way_of(graph, "a"), "depthwise") << print(graph);
}

TEST_P(JoinChoice, AsksForNoValueThatStaysInTheCache) {
  Chooser chooser{"separable"};
  lowered(pair(true), chooser);
  EXPECT_TRUE(chooser.asked.empty());
}

TEST_P(JoinChoice, AsksForNoValueThatOthersRead) {
  for (const char* reader : {"return a\n return y", "z = Sigmoid(a)\n return z\n return y"}) {
    Chooser chooser{"separable"};
    const Graph graph = lowered(pair(false, reader), chooser);
    EXPECT_TRUE(chooser.asked.empty()) << print(graph);
  }
}

TEST(JoinSeparable, KeepsEveryBit) {
  if (isa() == Isa::Baseline) GTEST_SKIP() << "depthwise convolutions are oneDNN's there";
  const Graph graph = pair(false);
  std::mt19937 random(3);
  const std::vector<Tensor> inputs = {
      random_tensor(graph.value(graph.inputs()[0]).type.dims, random)};
  const auto device = make_device({});
  Chooser chooser{"separable"};
  const Graph joined = lowered(graph, chooser);
  const Plan plan = sequential(joined, device->modelled_costs(), device->spec(), {});
  EXPECT_TRUE(identical(device->compile(joined, plan)->run(inputs)[0],
                        compile_on_cpu(graph)->run(inputs)[0]));
}

}  // namespace
}  // namespace braid::cpu
