#include <cmath>

#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

TEST(BatchNormalization, NormalisesEachChannel) {
  const std::vector<Tensor> inputs = {floats({1, 2, 2}, {0, 1, 2, 3}), floats({2}, {1.5F, -1}),
                                      floats({2}, {0.5F, 1}), floats({2}, {0.25F, 2}),
                                      floats({2}, {4, 0.25F})};
  expect_near(result_of("BatchNormalization", inputs, {{"epsilon", 1e-3F}}), {1, 2, 2},
              {0.3125234F, 1.06243F, 1, -0.9960117F});
  EXPECT_EQ(complaint_of("BatchNormalization", inputs, {{"training_mode", std::int64_t{1}}}),
            "unsupported: BatchNormalization in training mode; export the model for inference");
  auto wrong = inputs;
  wrong[3] = floats({1}, {0});
  EXPECT_EQ(complaint_of("BatchNormalization", wrong),
            "bad model or input: input mean of BatchNormalization has shape [1], expected [2]");
}

TEST(LayerNormalization, GivesMeanAndInverseDeviation) {
  const std::vector<Tensor> inputs = {floats({2, 3}, {1, 2, 4, 3, 3, 9}), floats({3}, {1, 2, 0.5F}),
                                      floats({3}, {0, 1, -1})};
  const auto results = evaluate("LayerNormalization", {}, inputs, 3);
  expect_near(results[0], {2, 3},
              {-1.069041F, 0.4654794F, -0.3318491F, -0.7071064F, -0.4142127F, -0.2928936F});
  expect_near(results[1], {2, 1}, {2.333333F, 5});
  expect_near(results[2], {2, 1}, {0.8017811F, 0.3535532F});
}

TEST(LayerNormalization, NormalisesSeveralAxes) {
  const Tensor x = floats({1, 2, 2}, {1, -1, 1, -1});
  const auto results =
      evaluate("LayerNormalization", {{"axis", std::int64_t{1}}, {"epsilon", 0.0F}},
               std::vector<Tensor>{x, floats({1}, {3})}, 2);
  expect_near(results[0], {1, 2, 2}, {3, -3, 3, -3});
  expect_near(results[1], {1, 1, 1}, {0});
  EXPECT_EQ(complaint_of("LayerNormalization", {x, floats({3}, {1, 1, 1})}),
            "bad model or input: the scale of LayerNormalization has shape [3], which does not "
            "broadcast to "
            "[1,2,2]");
}

TEST(LayerNormalization, HasStatisticsOfEmptyLines) {
  const auto results = evaluate("LayerNormalization", {},
                                std::vector<Tensor>{floats({1, 2, 0}, {}), floats({0}, {})}, 3);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(to_string(results[i].type()), "f32[1,2,1]");
    for (const float x : results[i].data<float>()) EXPECT_TRUE(std::isnan(x));
  }
}

TEST(RMSNormalization, DividesByTheRootMeanSquare) {
  const Tensor x = floats({2, 2}, {3, 3, 0, 2});
  expect_near(result_of("RMSNormalization", {x, floats({2}, {1, 10})}, {{"epsilon", 0.0F}}), {2, 2},
              {1, 10, 0, 14.142136F}, 1e-5F);
}

TEST(InstanceNormalization, NormalisesEachChannelOfEachSample) {
  expect_near(result_of("InstanceNormalization", {floats({1, 2, 3}, {1, 3, 5, 5, 5, 8}),
                                                  floats({2}, {1, 2}), floats({2}, {0, 1})}),
              {1, 2, 3}, {-1.224743F, 0, 1.224743F, -0.4142103F, -0.4142103F, 3.82842F}, 1e-5F);
}

TEST(GroupNormalization, NormalisesNeighbouringChannelsTogether) {
  const std::vector<Tensor> inputs = {floats({1, 4, 2}, {1, 3, 5, 7, 2, 2, 6, 6}),
                                      floats({4}, {1, 2, 1, 1}), floats({4}, {0, 1, 0, 0})};
  expect_near(result_of("GroupNormalization", inputs, {{"num_groups", std::int64_t{2}}}), {1, 4, 2},
              {-1.34164F, -0.4472132F, 1.894426F, 3.683279F, -1, -1, 1, 1}, 1e-5F);
  EXPECT_EQ(complaint_of("GroupNormalization", inputs, {{"num_groups", std::int64_t{3}}}),
            "bad model or input: attribute 'num_groups' of GroupNormalization is 3, which does not "
            "divide 4 channels");
}

TEST(LpNormalization, DividesLinesByTheirNorm) {
  const Tensor x = floats({2, 2}, {3, -4, 0, 0});
  expect_near(result_of("LpNormalization", {x}), {2, 2}, {0.6F, -0.8F, 0, 0});
  expect_near(result_of("LpNormalization", {x}, {{"p", std::int64_t{1}}}), {2, 2},
              {0.42857143F, -0.57142857F, 0, 0});
}

TEST(MeanVarianceNormalization, ReducesTheGivenAxes) {
  expect_near(result_of("MeanVarianceNormalization", {floats({2, 2}, {1, 3, 5, 9})},
                        {{"axes", std::vector<std::int64_t>{0}}}),
              {2, 2}, {-1, -1, 1, 1});
}

TEST(LRN, SumsSquaresOfNeighbouringChannels) {
  const Tensor x = floats({1, 5, 1, 1}, {1, 2, 3, 4, 5});
  expect_near(
      result_of("LRN", {x},
                {{"size", std::int64_t{3}}, {"alpha", 0.5F}, {"beta", 0.75F}, {"bias", 2.0F}}),
      {1, 5, 1, 1}, {0.4579064F, 0.6659067F, 0.7098176F, 0.6940323F, 0.9758354F});
  EXPECT_EQ(complaint_of("LRN", {x}, {{"size", std::int64_t{0}}}),
            "bad model or input: attribute 'size' of LRN is 0, expected at least 1");
}

TEST(Softmax, SumsToOneWithoutOverflow) {
  const Tensor x = floats({2, 3}, {1, 2, 3, 1000, 1000, 0});
  expect_near(result_of("Softmax", {x}), {2, 3},
              {0.09003057F, 0.2447285F, 0.6652409F, 0.5F, 0.5F, 0});
  expect_near(result_of("Softmax", {floats({2, 2}, {1, 2, 3, 1})}, {{"axis", std::int64_t{0}}}),
              {2, 2}, {0.1192029F, 0.7310586F, 0.880797F, 0.2689414F});
  EXPECT_EQ(complaint_of("Softmax", {x}, {{"axis", std::int64_t{2}}}),
            "bad model or input: axis 2 of Softmax is outside a tensor of rank 2");
}

TEST(LogSoftmax, IsTheLogarithmOfSoftmax) {
  expect_near(result_of("LogSoftmax", {floats({1, 3}, {1, 2, 3})}), {1, 3},
              {-2.407606F, -1.407606F, -0.4076059F});
}

TEST(Hardmax, MarksTheFirstLargest) {
  expect_elements<float>(result_of("Hardmax", {floats({2, 3}, {1, 3, 3, -1, -2, -3})}), {2, 3},
                         {0, 1, 0, 1, 0, 0});
}

TEST(Hardmax, TakesNaNForTheLargestAsArgMaxDoes) {
  expect_elements<float>(result_of("Hardmax", {floats({2, 3}, {1, kNaN, kInf, kNaN, 2, 3})}),
                         {2, 3}, {0, 1, 0, 1, 0, 0});
}

TEST(Dropout, PassesItsInputOn) {
  const Tensor x = floats({2}, {1, 2});
  const Tensor ratio = floats({}, {0.5F});
  const auto results =
      evaluate("Dropout", {}, std::vector<Tensor>{x, ratio, Tensor::scalar<bool>(false)}, 2);
  expect_elements<float>(results[0], {2}, {1, 2});
  expect_elements<bool>(results[1], {2}, {true, true});
  EXPECT_EQ(complaint_of("Dropout", {x, ratio, Tensor::scalar<bool>(true)}),
            "unsupported: Dropout in training mode; export the model for inference");
}

}  // namespace
}  // namespace braid
