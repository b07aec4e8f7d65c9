#include "ops/recurrent.h"

#include <limits>

#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

const Tensor kSequence = floats({2, 1, 2}, {0.5F, -1, 2, 1});

Attributes hidden(std::int64_t size, Attributes more = {}) {
  more.set("hidden_size", size);
  return more;
}

TEST(RNN, FeedsItsStateBack) {
  const std::vector<Tensor> inputs = {kSequence, floats({1, 2, 2}, {0.1F, 0.2F, -0.3F, 0.4F}),
                                      floats({1, 2, 2}, {0.5F, -0.6F, 0.7F, 0.8F}),
                                      floats({1, 4}, {0.1F, 0.2F, 0.3F, 0.4F})};
  const auto results = evaluate("RNN", hidden(2), inputs, 2);
  expect_near(results[0], {2, 1, 1, 2}, {0.2449187F, 0.04995835F, 0.7126186F, 0.5451187F});
  expect_near(results[1], {1, 1, 2}, {0.7126186F, 0.5451187F});
}

TEST(RNN, RunsBackwards) {
  const std::vector<Tensor> inputs = {kSequence, floats({1, 2, 2}, {0.1F, 0.2F, -0.3F, 0.4F}),
                                      floats({1, 2, 2}, {0.5F, -0.6F, 0.7F, 0.8F})};
  const auto results = evaluate("RNN",
                                hidden(2, {{"direction", std::string("reverse")},
                                           {"activations", std::vector<std::string>{"Relu"}}}),
                                inputs, 2);
  expect_near(results[0], {2, 1, 1, 2}, {0.05F, 0, 0.4F, 0});
  expect_near(results[1], {1, 1, 2}, {0.05F, 0});
}

TEST(GRU, ResetsBeforeOrAfterTheLinearPart) {
  const std::vector<Tensor> inputs = {
      kSequence, floats({1, 3, 2}, {0.1F, 0.2F, -0.3F, 0.4F, 0.5F, -0.6F}),
      floats({1, 3, 1}, {0.7F, -0.8F, 0.9F}), floats({1, 6}, {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F})};
  expect_near(result_of("GRU", inputs, hidden(1)), {2, 1, 1, 1}, {0.3891481F, 0.5107791F});
  expect_near(result_of("GRU", inputs, hidden(1, {{"linear_before_reset", std::int64_t{1}}})),
              {2, 1, 1, 1}, {0.3720629F, 0.4832392F});
}

const Tensor kLstmW = floats({1, 4, 2}, {0.1F, 0.2F, -0.3F, 0.4F, 0.5F, -0.6F, 0.7F, -0.2F});
const Tensor kLstmR = floats({1, 4, 1}, {0.7F, -0.8F, 0.9F, 0.3F});

TEST(LSTM, TakesInitialStatesAndPeepholes) {
  const std::vector<Tensor> inputs = {
      kSequence,
      kLstmW,
      kLstmR,
      floats({1, 8}, {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F, 0.8F}),
      Tensor{},
      floats({1, 1, 1}, {0.25F}),
      floats({1, 1, 1}, {-0.5F}),
      floats({1, 3}, {0.1F, 0.2F, 0.3F})};
  const auto results = evaluate("LSTM", hidden(1), inputs, 3);
  expect_near(results[0], {2, 1, 1, 1}, {0.08831465F, 0.4711806F});
  expect_near(results[1], {1, 1, 1}, {0.4711806F});
  expect_near(results[2], {1, 1, 1}, {0.8754376F});
}

TEST(LSTM, WithoutPeepholesItsGatesDoNotSeeAnInfiniteCell) {
  const std::vector<Tensor> inputs = {kSequence,
                                      kLstmW,
                                      kLstmR,
                                      Tensor{},
                                      Tensor{},
                                      Tensor{},
                                      floats({1, 1, 1}, {std::numeric_limits<float>::infinity()})};
  expect_near(result_of("LSTM", inputs, hidden(1)), {2, 1, 1, 1}, {0.3658644F, 0.3792597F});
}

TEST(LSTM, RunsBothWaysOverSequencesOfTheirOwnLength) {
  const std::vector<Tensor> inputs = {
      floats({2, 2, 2}, {0.5F, -1, 1, -2, 2, 1, 4, 2}),
      floats({2, 4, 2}, {0.1F, 0.2F, -0.3F, 0.4F, 0.5F, -0.6F, 0.7F, -0.2F, -0.1F, -0.2F, 0.3F,
                         -0.4F, -0.5F, 0.6F, -0.7F, 0.2F}),
      floats({2, 4, 1}, {0.7F, -0.8F, 0.9F, 0.3F, -0.7F, 0.8F, -0.9F, -0.3F}), Tensor{},
      Tensor::of<std::int32_t>({2}, {2, 1})};
  const auto results =
      evaluate("LSTM", hidden(1, {{"direction", std::string("bidirectional")}}), inputs, 3);
  expect_near(results[0], {2, 2, 2, 1},
              {0.08322523F, 0.08193094F, -0.2141004F, -0.3225776F, 0.2502889F, 0, -0.1773811F, 0});
  expect_near(results[1], {2, 2, 1}, {0.2502889F, 0.08193094F, -0.2141004F, -0.3225776F});
  expect_near(results[2], {2, 2, 1}, {0.6580123F, 0.3406584F, -0.3728238F, -0.4598407F});
}

TEST(LSTM, PutsTheBatchFirstIfAsked) {
  const Tensor turned = floats({1, 2, 2}, {0.5F, -1, 2, 1});
  const auto plain = evaluate("LSTM", hidden(1), std::vector<Tensor>{kSequence, kLstmW, kLstmR}, 3);
  const auto batched = evaluate("LSTM", hidden(1, {{"layout", std::int64_t{1}}}),
                                std::vector<Tensor>{turned, kLstmW, kLstmR}, 3);
  EXPECT_TRUE(identical(batched[0], plain[0].reshaped({1, 2, 1, 1})));
  EXPECT_TRUE(identical(batched[2], plain[2]));
}

TEST(LSTM, RefusesWhatDoesNotFit) {
  EXPECT_EQ(complaint_of("LSTM", {kSequence, kLstmR, kLstmR}, hidden(1)),
            "bad model or input: input W of LSTM has shape [1,4,1], expected [1,4,2]");
  EXPECT_EQ(complaint_of("LSTM", {kSequence, kLstmW, kLstmR}, hidden(3)),
            "bad model or input: attribute 'hidden_size' of LSTM is 3, but input R has shape "
            "[1,4,1]");
  EXPECT_EQ(complaint_of("LSTM", {kSequence, kLstmW, kLstmR},
                         hidden(1, {{"activations", std::vector<std::string>{"Tanh"}}})),
            "bad model or input: LSTM has 1 activations, expected 3");
  EXPECT_EQ(complaint_of("LSTM",
                         {kSequence, kLstmW, kLstmR, Tensor{}, Tensor::of<std::int32_t>({1}, {3})},
                         hidden(1)),
            "bad model or input: sequence_lens contains 3, but there are 2 steps");
}

TEST(GateActivation, HasItsUsualValues) {
  using Function = GateActivation::Function;
  EXPECT_DOUBLE_EQ((GateActivation{Function::Affine, 2, 1}(3)), 7);
  EXPECT_DOUBLE_EQ((GateActivation{Function::ThresholdedRelu, 1, 0}(0.5)), 0);
  EXPECT_DOUBLE_EQ((GateActivation{Function::HardSigmoid, 0.25F, 0.5F}(1)), 0.75);
  EXPECT_DOUBLE_EQ((GateActivation{Function::Softsign}(-1)), -0.5);
  EXPECT_NEAR((GateActivation{Function::Softplus}(0)), 0.69314718, 1e-8);
  EXPECT_NEAR((GateActivation{Function::ScaledTanh, 2, 0.5F}(2)), 1.5231883, 1e-7);
}

}  // namespace
}  // namespace braid
