#include "device/sim/sim_judge.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "device/sim/sim_device.h"
#include "ops/builder.h"
#include "schedule/schedulers.h"
#include "sim/draws.h"

namespace braid::sim {
namespace {

/// Convolutions of one shape one after another: in a draw, all change by the same factor.
std::vector<double> graph_us(const Device& device, int convolutions) {
  std::string text = "v0: f32[8,64,56,56]\n";
  for (int i = 0; i < convolutions; ++i)
    text += "v" + std::to_string(i + 1) + " = Conv(v" + std::to_string(i) + ", w" +
            std::to_string(i) + ": f32[64,64,3,3]) pads=[1,1,1,1]\n";
  const CostModel& costs = device.modelled_costs();
  const Graph lowered = device.lower(parse(text), costs);
  const Plan plan = schedule("sequential", lowered, costs, device.spec(), {});
  return device.judge(lowered, costs, device.spec())->graph_us(plan);
}

TEST(SimJudge, TimesOfGraphsCanBeComparedDrawByDraw) {
  const auto device = make_device("a100");
  const std::vector<double> once = graph_us(*device, 4);
  const std::vector<double> twice = graph_us(*device, 8);
  ASSERT_EQ(once.size(), static_cast<std::size_t>(kGraphDraws.count));
  ASSERT_EQ(twice.size(), once.size());
  for (std::size_t draw = 0; draw < once.size(); ++draw)
    EXPECT_NEAR(twice[draw] / once[draw], 2, 0.1) << "draw " << draw;
}

/// In proportion to what the kernels alone take there, all draws would say the same.
TEST(SimJudge, TimesOfGraphsAreNotScaled) {
  const std::vector<double> times = graph_us(*make_device("a100"), 4);
  const auto [least, most] = std::ranges::minmax(times);
  EXPECT_GT(most, 1.1 * least);
}

}  // namespace
}  // namespace braid::sim
