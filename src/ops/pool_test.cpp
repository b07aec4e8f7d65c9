#include "ops/pool.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

using List = std::vector<std::int64_t>;

TEST(MaxPool, GivesIndices) {
  const Tensor x =
      floats({1, 1, 4, 4}, {0, -1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12, -13, 14, -15});
  const Attributes attributes = {{"kernel_shape", List{3, 2}},
                                 {"strides", std::int64_t{2}},
                                 {"auto_pad", std::string("SAME_UPPER")}};
  const auto results = evaluate("MaxPool", attributes, std::vector<Tensor>{x}, 2);
  expect_elements<float>(results[0], {1, 1, 2, 2}, {8, 10, 12, 14});
  expect_elements<std::int64_t>(results[1], {1, 1, 2, 2}, {8, 10, 12, 14});
}

TEST(MaxPool, CountsIndicesByColumnsIfAsked) {
  const Tensor x = floats({1, 1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const Attributes attributes = {{"kernel_shape", std::int64_t{2}},
                                 {"strides", List{1, 2}},
                                 {"storage_order", std::int64_t{1}}};
  const auto results = evaluate("MaxPool", attributes, std::vector<Tensor>{x}, 2);
  expect_elements<float>(results[0], {1, 1, 2, 2}, {5, 7, 9, 11});
  expect_elements<std::int64_t>(results[1], {1, 1, 2, 2}, {4, 10, 5, 11});
}

TEST(MaxPool, RoundsUpButStartsNoWindowInPadding) {
  const Tensor x = Tensor::of<std::int8_t>({1, 1, 5}, {0, 1, 2, 3, 4});
  expect_elements<std::int8_t>(
      result_of("MaxPool", {x},
                {{"kernel_shape", List{2}}, {"strides", List{2}}, {"ceil_mode", std::int64_t{1}}}),
      {1, 1, 3}, {1, 3, 4});
  // Positions -1, 1, 3, 5: the last would begin in the padding.
  expect_elements<std::int8_t>(result_of("MaxPool", {x},
                                         {{"kernel_shape", List{1}},
                                          {"strides", List{2}},
                                          {"pads", std::int64_t{1}},
                                          {"ceil_mode", std::int64_t{1}}}),
                               {1, 1, 3}, {-128, 1, 3});
}

TEST(MaxPool, Dilates) {
  const Tensor x = floats({1, 1, 4, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  expect_elements<float>(
      result_of("MaxPool", {x},
                {{"kernel_shape", std::int64_t{2}}, {"dilations", std::int64_t{2}}}),
      {1, 1, 2, 2}, {10, 11, 14, 15});
}

TEST(MaxPool, KeepsNotANumber) {
  const float nan = std::nanf("");
  const Tensor y =
      result_of("MaxPool", {floats({1, 1, 3}, {1, nan, 2})}, {{"kernel_shape", List{3}}});
  EXPECT_TRUE(std::isnan(y.data<float>()[0]));
}

TEST(MaxPool, RefusesWhatDoesNotFit) {
  const Tensor x = floats({1, 1, 3}, {1, 2, 3});
  EXPECT_EQ(complaint_of("MaxPool", {x}),
            "bad model or input: MaxPool needs the attribute 'kernel_shape'");
  EXPECT_EQ(complaint_of("MaxPool", {x}, {{"kernel_shape", List{4}}}),
            "bad model or input: the window of MaxPool spans 4 elements of spatial axis 0, but the "
            "padded input "
            "has 3");
  EXPECT_EQ(complaint_of("MaxPool", {floats({3}, {1, 2, 3})}, {{"kernel_shape", List{1}}}),
            "bad model or input: MaxPool needs an input [N,C,spatial...], got shape [3]");
}

TEST(AveragePool, LeavesPaddingOutUnlessToldOtherwise) {
  const Tensor x = floats({1, 1, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  Attributes attributes = {{"kernel_shape", List{2, 2}}, {"pads", List{1, 1, 0, 0}}};
  expect_elements<float>(result_of("AveragePool", {x}, attributes), {1, 1, 3, 3},
                         {0, 0.5F, 1.5F, 1.5F, 2, 3, 4.5F, 5, 6});
  attributes.set("count_include_pad", std::int64_t{1});
  expect_elements<float>(result_of("AveragePool", {x}, attributes), {1, 1, 3, 3},
                         {0, 0.25F, 0.75F, 0.75F, 2, 3, 2.25F, 5, 6});
}

TEST(AveragePool, NeverCountsPastThePadding) {
  const Tensor x = floats({1, 1, 6}, {0, 1, 2, 3, 4, 5});
  Attributes attributes = {{"kernel_shape", List{3}},
                           {"strides", List{2}},
                           {"pads", List{1, 1}},
                           {"ceil_mode", std::int64_t{1}}};
  expect_near(result_of("AveragePool", {x}, attributes), {1, 1, 4}, {0.5F, 2, 4, 5});
  attributes.set("count_include_pad", std::int64_t{1});
  expect_near(result_of("AveragePool", {x}, attributes), {1, 1, 4}, {0.33333333F, 2, 4, 2.5F});
}

TEST(LpPool, TakesThePthRoot) {
  const Tensor x = floats({1, 1, 4}, {-1, 0, 1, 2});
  expect_near(result_of("LpPool", {x}, {{"kernel_shape", List{2}}, {"p", std::int64_t{3}}}),
              {1, 1, 3}, {1, 1, 2.080084F});
  expect_near(result_of("GlobalLpPool", {x}), {1, 1, 1}, {2.4494897F});
}

TEST(GlobalPools, ReduceAllSpatialAxes) {
  const Tensor x = floats({1, 2, 1, 3}, {1, 2, 6, -4, -5, -9});
  expect_elements<float>(result_of("GlobalAveragePool", {x}), {1, 2, 1, 1}, {3, -6});
  expect_elements<float>(result_of("GlobalMaxPool", {x}), {1, 2, 1, 1}, {6, -4});
  EXPECT_EQ(complaint_of("GlobalMaxPool", {floats({1}, {1})}),
            "bad model or input: GlobalMaxPool needs an input [N,C,spatial...], got shape [1]");
}

}  // namespace
}  // namespace braid
