#include "ops/chain.h"

#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

Attributes attributes(std::vector<std::string> ops, std::vector<std::int64_t> operands) {
  Attributes result;
  result.set("ops", std::move(ops));
  result.set("operands", std::move(operands));
  return result;
}

TEST(Chain, DoesItsStepsInOrder) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, -2, 3, -4});
  const Tensor s = Tensor::of<float>({2}, {2, 3});
  const Tensor r = Tensor::scalar(10.0F);
  const Tensor y = evaluate("Chain", attributes({"Mul", "Relu", "Add"}, {0, 1, 3, 4, 2}),
                            std::vector{x, s, r})[0];
  EXPECT_TRUE(identical(y, Tensor::of<float>({2, 2}, {12, 10, 16, 10})));
}

TEST(Chain, IsAsLargeAsItsInputsTogether) {
  const Tensor x = Tensor::of<float>({1, 2}, {1, 2});
  const Tensor wide = Tensor::of<float>({2, 1}, {0, 0});
  const Tensor y = evaluate("Chain", attributes({"Neg"}, {0}), std::vector{x, wide})[0];
  EXPECT_TRUE(identical(y, Tensor::of<float>({2, 2}, {-1, -2, -1, -2})));
}

TEST(Chain, StepsSurviveTheirAttributes) {
  const std::vector<ChainStep> steps = {{"LeakyRelu", {0}, 0.25F}, {"Add", {1, 0}}};
  EXPECT_EQ(read_chain(chain_attributes(steps), 1), steps);
}

TEST(Chain, CallsNumbersAsTheirOperatorDoes) {
  const Tensor x = Tensor::of<float>({4}, {-2, -0.5F, 0.5F, 2});
  const auto done = [&](const ChainStep& step) {
    return evaluate("Chain", chain_attributes({step}), std::vector{x})[0];
  };
  EXPECT_TRUE(identical(done({"Selu", {0}, 1.5F, 2.0F}),
                        evaluate("Selu", {{"alpha", 1.5F}, {"gamma", 2.0F}}, std::vector{x})[0]));
  EXPECT_TRUE(
      identical(done({"Shrink", {0}, 0.25F, 1.0F}), Tensor::of<float>({4}, {-1.75F, 0, 0, 1.75F})));
}

TEST(Chain, RefusesMalformedSteps) {
  const auto refuses = [](const Attributes& a) { EXPECT_THROW(read_chain(a, 2), Error); };
  refuses(attributes({}, {}));
  refuses(attributes({"Conv"}, {0, 1}));
  refuses(attributes({"Add"}, {0}));
  refuses(attributes({"Add"}, {0, 2}));
  refuses(attributes({"Add"}, {0, -1}));
  refuses(attributes({"Add"}, {0, 1, 0}));
  refuses(attributes(std::vector<std::string>(kMostChainSteps + 1, "Neg"),
                     std::vector<std::int64_t>(kMostChainSteps + 1, 0)));
  Attributes wrong = attributes({"Elu"}, {0});
  wrong.set("alphas", std::vector<float>{1, 2});
  refuses(wrong);
}

}  // namespace
}  // namespace braid
