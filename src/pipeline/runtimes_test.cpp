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

/// The operators of the graph that the device runs, in its order.
std::vector<std::string> operators(const std::string& device_name, std::string_view text) {
  const auto device = open_device(device_name);
  const Graph graph = lowered(canonical(parse(text), *device, {}), *device, {}).graph;
  std::vector<std::string> found;
  for (const NodeId id : graph.nodes_in_order()) found.push_back(graph.node(id).op);
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
