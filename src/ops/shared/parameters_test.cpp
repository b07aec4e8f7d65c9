#include "ops/shared/parameters.h"

#include <gtest/gtest.h>

#include "ops/builder.h"

namespace braid {
namespace {

TEST(ParameterCount, CountsWeightsOnceAndLeavesStatisticsAndNumbersOut) {
  const Graph graph = parse(R"(
      x: f32[1,4,8,8]
      c = Conv(x, w: f32[4,4,3,3], b: f32[4]) pads=[1,1,1,1]
      d = Conv(c, w, b) pads=[1,1,1,1]
      n = BatchNormalization(d, gamma: f32[4], beta: f32[4], mean: f32[4], var: f32[4])
      m = Mul(n, half: f32[1])
      y = Reshape(m, shape: i64[2] = {1,-1}))");
  EXPECT_EQ(parameter_count(graph), 4 * 4 * 9 + 4 + 4 + 4);
}

TEST(ParameterCount, CountsAConstantThatIsAlsoAStatisticElsewhere) {
  const Graph graph = parse(R"(
      x: f32[1,4,8,8]
      n = BatchNormalization(x, gamma: f32[4], beta: f32[4], shared: f32[4], shared)
      m = BatchNormalization(n, shared, gamma, beta, beta))");
  EXPECT_EQ(parameter_count(graph), 3 * 4);
}

}  // namespace
}  // namespace braid
