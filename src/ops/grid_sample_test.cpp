#include <cmath>

#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

void expect_samples(const char* mode, const char* padding, std::initializer_list<float> expected) {
  const Tensor x = floats({1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor grid = floats({1, 1, 3, 2}, {0, 0, -1.5F, 0.5F, 0.75F, -0.25F});
  expect_near(result_of("GridSample", {x, grid},
                        {{"mode", std::string(mode)}, {"padding_mode", std::string(padding)}}),
              {1, 1, 1, 3}, expected);
}

TEST(GridSample, PicksOrInterpolates) {
  expect_samples("nearest", "zeros", {1, 0, 2});
  expect_samples("nearest", "border", {1, 3, 2});
  expect_samples("nearest", "reflection", {1, 3, 2});
  expect_samples("linear", "zeros", {2.5F, 0, 1.875F});
  expect_samples("linear", "border", {2.5F, 3, 2.5F});
  expect_samples("linear", "reflection", {2.5F, 3, 2.5F});
  expect_samples("cubic", "zeros", {3.525391F, 0, 2.289551F});
  expect_samples("cubic", "border", {2.5F, 3, 2.558594F});
  expect_samples("cubic", "reflection", {2.5F, 3, 2.59375F});
}

TEST(GridSample, SurvivesLocationsThatAreNoNumbers) {
  const Tensor x = floats({1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor grid = floats({1, 1, 2, 2}, {std::nanf(""), 0, 1e30F, 1e30F});
  for (const char* mode : {"nearest", "linear", "cubic"})
    expect_near(result_of("GridSample", {x, grid}, {{"mode", std::string(mode)}}), {1, 1, 1, 2},
                {0, 0});
}

TEST(GridSample, RefusesAGridThatDoesNotFit) {
  EXPECT_EQ(complaint_of("GridSample", {floats({1, 1, 1, 1}, {1}), floats({1, 1, 1, 1}, {0})}),
            "bad model or input: GridSample cannot sample [1,1,1,1] with a grid [1,1,1,1]");
}

TEST(AffineGrid, MapsTheCentresOfPixels) {
  const Tensor theta = floats({1, 2, 3}, {1, 0, 0.5F, 0, 2, 0});
  expect_near(result_of("AffineGrid", {theta, list({1, 1, 2, 3})}), {1, 2, 3, 2},
              {-0.1666667F, -1, 0.5F, -1, 1.166667F, -1, -0.1666667F, 1, 0.5F, 1, 1.166667F, 1});
  EXPECT_EQ(complaint_of("AffineGrid", {theta, list({1, 1, 2})}),
            "bad model or input: AffineGrid cannot make a grid of size [1,1,2] with theta [1,2,3]");
}

}  // namespace
}  // namespace braid
