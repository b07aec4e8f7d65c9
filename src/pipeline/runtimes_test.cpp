#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "devices/open.h"
#include "graph/text.h"
#include "ops/builder.h"
#include "pipeline/stages.h"
#include "plan/json.h"
#include "zoo/zoo.h"

namespace braid {
namespace {

/// "Concat:view" for every node of the graph that the device runs, in its order.
std::vector<std::string> implementations(const std::string& device_name, std::string_view text,
                                         std::vector<std::string> disabled = {}) {
  const auto device = open_device(device_name);
  PipelineOptions options;
  options.rewrite.disabled = std::move(disabled);
  const Graph graph = lowered(canonical(parse(text), *device, options), *device, options).graph;
  std::vector<std::string> found;
  for (const NodeId id : graph.nodes_in_order())
    found.push_back(graph.node(id).op + ":" + graph.node(id).lowering.implementation);
  return found;
}

std::vector<std::string> operators(const std::string& device_name, std::string_view text) {
  std::vector<std::string> found = implementations(device_name, text);
  for (std::string& node : found) node.resize(node.find(':'));
  return found;
}

using testing::ElementsAre;

constexpr std::string_view kNormalised = R"(
    x: f32[1,8,16,16]
    c = Conv(x, w: f32[8,8,3,3]) pads=[1,1,1,1]
    n = BatchNormalization(c, s: f32[8], b: f32[8], m: f32[8], v: f32[8])
    r = Relu(n)
    y = Add(r, x))";

TEST(Runtimes, EagerHasAKernelForEachNode) {
  EXPECT_THAT(operators("sim:a100+eager", kNormalised),
              ElementsAre("Conv", "BatchNormalization", "Relu", "Add"));
  EXPECT_THAT(operators("sim:a100+framework", kNormalised), ElementsAre("Conv", "Add"));
  EXPECT_THAT(operators("sim:a100", kNormalised), ElementsAre("Conv", "Add"));
}

TEST(Runtimes, EagerComputesWhatIsSaidTwice) {
  constexpr std::string_view twice = R"(
      x: f32[1,8,16,16]
      a = Relu(x)
      b = Relu(x)
      p = MaxPool(a) kernel_shape=[2,2]
      q = AveragePool(b) kernel_shape=[2,2]
      return p
      return q)";
  EXPECT_THAT(operators("sim:a100+eager", twice),
              ElementsAre("Relu", "Relu", "MaxPool", "AveragePool"));
  EXPECT_THAT(operators("sim:a100+framework", twice),
              ElementsAre("Relu", "MaxPool", "AveragePool"));
}

TEST(Runtimes, EagerPadsAndCopiesByThemselves) {
  constexpr std::string_view padded = R"(
      x: f32[1,8,16,16]
      p = Pad(x, pads: i64[8] = {0,0,1,1,0,0,1,1})
      c = Conv(p, w: f32[8,8,3,3])
      m = Sigmoid(x)
      inner = Concat(c, x) axis=1
      y = Concat(inner, m) axis=1)";
  EXPECT_THAT(operators("sim:a100+eager", padded),
              ElementsAre("Pad", "Conv", "Sigmoid", "Concat", "Concat"));
  EXPECT_THAT(operators("sim:a100+framework", padded),
              testing::UnorderedElementsAre("Conv", "Sigmoid", "Concat"));
}

/// What PyTorch has as one kernel is one, however it was exported.
TEST(Runtimes, EagerKnowsGelu) {
  EXPECT_THAT(operators("sim:a100+eager", R"(
      x: f32[4,64]
      s = Div(x, root: f32[] = {1.41421356})
      e = Erf(s)
      a = Add(e, one: f32[] = {1})
      m = Mul(x, a)
      y = Mul(m, half: f32[] = {0.5}))"),
              ElementsAre("Gelu"));
}

constexpr std::string_view kBranches = R"(
    x: f32[1,8,16,16]
    a, b = Split(x) axis=1 num_outputs=2
    p = MaxPool(x) kernel_shape=[3,3] pads=[1,1,1,1]
    l, r = Split(p) axis=1 num_outputs=2
    s = Sigmoid(l)
    t = Tanh(r)
    m = Mul(s, t)
    c = Concat(a, m, b) axis=1
    y = MaxPool(c) kernel_shape=[2,2])";

TEST(Runtimes, OursJoinsWhatLiesTogether) {
  EXPECT_THAT(implementations("sim:a100", kBranches),
              ElementsAre("Split:movement", "MaxPool:pool", "Split:view", "Chain:elementwise",
                          "Concat:view", "MaxPool:pool"));
  EXPECT_THAT(
      implementations("sim:a100+framework", kBranches),
      ElementsAre("Split:movement", "MaxPool:pool", "Split:movement", "Sigmoid:elementwise",
                  "Tanh:elementwise", "Mul:elementwise", "Concat:movement", "MaxPool:pool"));
}

TEST(Runtimes, EachOfOurStepsCanBeLeftOut) {
  const auto without = [](const char* step) {
    return implementations("sim:a100", kBranches, {step});
  };
  using testing::Contains;
  EXPECT_THAT(without("split-as-view"), testing::Not(Contains("Split:view")));
  EXPECT_THAT(without("concat-as-view"), Contains("Concat:movement"));
  EXPECT_THAT(without("fuse-chains"), Contains("Tanh:elementwise"));
  EXPECT_THROW(implementations("sim:a100+framework", kBranches, {"fuse-chains"}), Error);
}

/// A Chain reads each of its inputs once and writes its output once.
TEST(Runtimes, AChainTakesTheTimeOfItsBytes) {
  const auto bytes_of = [](std::string_view text) {
    const auto device = open_device("sim:a100");
    const Graph graph = lowered(canonical(parse(text), *device, {}), *device, {}).graph;
    EXPECT_EQ(graph.node_count(), 1U);
    const Cost cost = device->modelled_costs().cost(graph, graph.node_ids()[0]);
    return cost.bandwidth_share * cost.time_us * device->spec().bytes_per_us;
  };
  const double one = bytes_of("x: f32[64,1048576]\ny = Tanh(x)");
  EXPECT_NEAR(bytes_of("x: f32[64,1048576]\na = Tanh(x)\nb = Mul(a, x)\ny = Exp(b)"), one,
              one * 1e-9);
  EXPECT_NEAR(bytes_of("x: f32[64,1048576]\nz: f32[64,1048576]\na = Tanh(x)\nb = Mul(a, z)\n"
                       "y = Add(b, z)"),
              1.5 * one, one * 1e-9);
}

std::string complaint_about_plan(const std::string& made_for, const std::string& taken_for) {
  PipelineOptions options;
  options.plan.scheduler = "sequential";
  options.costs.use_cache = false;
  const auto maker = open_device(made_for);
  const Planned made = to_plan(zoo::build("squeezenet-1.1"), *maker, options);
  options.plan.given = to_json(made.lowered(), made.plan);
  try {
    to_plan(zoo::build("squeezenet-1.1"), *open_device(taken_for), options);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(Runtimes, APlanIsForItsOwn) {
  EXPECT_EQ(complaint_about_plan("sim:a100+eager", "sim:a100+eager"), "");
  EXPECT_EQ(complaint_about_plan("sim:a100+eager", "sim:a100"),
            "the Plan was made for the device 'sim:a100+eager', this is 'sim:a100'; plan for this "
            "device, or choose that one with --device");
  EXPECT_EQ(complaint_about_plan("sim:a100", "sim:a100+framework"),
            "the Plan was made for the device 'sim:a100', this is 'sim:a100+framework'; plan for "
            "this device, or choose that one with --device");
}

}  // namespace
}  // namespace braid
