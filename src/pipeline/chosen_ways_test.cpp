#include <gtest/gtest.h>

#include "base/testing/kind_of_error.h"
#include "devices/open.h"
#include "ops/builder.h"
#include "pipeline/stages.h"
#include "plan/json.h"
#include "schedule/schedulers.h"

namespace braid {
namespace {

/// A convolution that can be run in several ways, and one of them that is not taken by itself.
class ChosenWays : public testing::Test {
 protected:
  ChosenWays() {
    const ChooseWay look = [&](const WayQuestion& question) {
      const Graph all = question.all();
      other = all.node(all.node_ids().back()).lowering.implementation;
      return std::vector{other};
    };
    lowered_otherwise =
        device->lower(graph, {.costs = device->modelled_costs(), .choose = look}).graph;
  }

  static std::string way_of(const Graph& lowered) {
    for (const NodeId id : lowered.node_ids())
      if (lowered.node(id).op == "Conv") return lowered.node(id).lowering.implementation;
    return {};
  }

  std::string saved_plan() const {
    return to_json(lowered_otherwise,
                   sequential(lowered_otherwise, device->modelled_costs(), device->spec(), {}));
  }

  PipelineOptions following(std::string plan) const {
    PipelineOptions options;
    options.costs.use_cache = false;
    options.plan.given = std::move(plan);
    return options;
  }

  std::unique_ptr<Device> device = open_device("cpu", {.threads = 2});
  Graph graph = parse("x: f32[1,32,8,8]\n y = Conv(x, w: f32[32,32,3,3]) pads=[1,1,1,1]");
  std::string other;
  Graph lowered_otherwise;
};

TEST_F(ChosenWays, AreWhatTheGraphIsLoweredTo) {
  EXPECT_NE(other, way_of(device->lower(graph, device->modelled_costs())));
  EXPECT_EQ(way_of(lowered_otherwise), other);
}

TEST_F(ChosenWays, ComeFromThePlanThatIsFollowed) {
  const Planned planned = to_plan(graph, *device, following(saved_plan()));
  EXPECT_EQ(way_of(planned.lowered()), other);
}

TEST_F(ChosenWays, OfAPlanAreRefusedWhereTheyAreNotToBeHad) {
  std::string plan = saved_plan();
  plan.replace(plan.find(other), other.size(), "a better one");
  EXPECT_EQ(kind_of_error([&] { to_plan(graph, *device, following(plan)); }), ErrorKind::Model);
}

/// Two convolutions that can be run as one.
TEST(ChosenPairs, ComeFromThePlanThatIsFollowed) {
  const std::unique_ptr<Device> device = open_device("cpu", {.threads = 2});
  const Graph graph = parse(R"(
      x: f32[1,64,256,256]
      a = Conv(x, u: f32[64,1,3,3]) group=64 pads=[1,1,1,1]
      y = Conv(a, v: f32[64,64,1,1]))");
  const ChooseWay join = [](const WayQuestion& question) {
    const bool is_pair = question.first.node(question.first.node_ids().front()).op != "Conv";
    return is_pair ? std::vector<std::string>{"separable"} : std::vector<std::string>{};
  };
  const Graph joined =
      device->lower(graph, {.costs = device->modelled_costs(), .choose = join}).graph;
  if (joined.find("a").valid()) GTEST_SKIP() << "the two are not run by kernels of our own here";
  PipelineOptions options;
  options.costs.use_cache = false;
  options.plan.given =
      to_json(joined, sequential(joined, device->modelled_costs(), device->spec(), {}));
  EXPECT_FALSE(to_plan(graph, *device, options).lowered().find("a").valid());
  options.plan.given = {};
  EXPECT_TRUE(to_plan(graph, *device, options).lowered().find("a").valid());
}

}  // namespace
}  // namespace braid
