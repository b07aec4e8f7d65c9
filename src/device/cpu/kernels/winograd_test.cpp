#include "device/cpu/kernels/winograd.h"

#include <limits>

#include <fmt/format.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"

namespace braid::cpu {
namespace {

constexpr double kNearEnough = 1e-4;
constexpr Isa kInstructionSets[] = {Isa::Baseline, Isa::Avx2, Isa::Avx512};

struct Shape {
  Dims x;  ///< [N,C,H,W]
  std::int64_t out_channels;
  Dims pads;

  Dims output() const {
    return {x[0], out_channels, x[2] + pads[0] + pads[2] - 2, x[3] + pads[1] + pads[3] - 2};
  }
};

Case case_of(const Shape& shape, std::mt19937& random) {
  return {.op = "Conv",
          .attributes = {{"pads", shape.pads}},
          .inputs = {random_tensor(shape.x, random),
                     random_tensor({shape.out_channels, shape.x[1], 3, 3}, random)},
          .constant = {false, true}};
}

std::vector<Way> winograd_ways(const CaseRunner& runner) {
  std::vector<Way> ways;
  for (Way& way : every_way(runner.call()))
    if (way.implementation == kWinograd2 || way.implementation == kWinograd4)
      ways.push_back(std::move(way));
  EXPECT_EQ(ways.size(), 2U);
  return ways;
}

void expect_equals_evaluate(const Case& c) {
  const LaneSettings settings;  // denormal numbers are zeros
  const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
  for (const Isa limit : kInstructionSets) {
    const LimitedIsa limited(limit);
    CaseRunner runner(c);
    for (const Way& way : winograd_ways(runner))
      EXPECT_EQ(difference(runner.run_in_every_cut(way)[0], expected, kNearEnough), "")
          << way.implementation << " on " << name(isa()) << ": " << runner.describe_types();
  }
}

void expect_no_winograd(const Case& c) {
  CaseRunner runner(c);
  for (const Way& way : every_way(runner.call()))
    EXPECT_FALSE(way.implementation.starts_with("winograd")) << way.implementation;
}

class DrawnShapes {
 public:
  explicit DrawnShapes(unsigned seed) : random_(seed) {}

  Shape next() {
    Shape shape{{from(1, 3), from(1, 70), from(1, 30), from(1, 30)}, from(1, 150), {}};
    for (int i = 0; i < 4; ++i) shape.pads.push_back(from(0, 2));
    const Dims output = shape.output();
    return output[2] > 0 && output[3] > 0 ? shape : next();
  }

  /// Bias, residual and activation, or some of them.
  Case next_case() {
    const Shape shape = next();
    Case c = case_of(shape, random_);
    c.inputs.resize(4);
    if (from(0, 1) == 1)
      c.inputs[Epilogue::kBiasInput] = random_tensor({shape.out_channels}, random_);
    if (from(0, 1) == 1)
      c.inputs[Epilogue::kResidualInput] = random_tensor(shape.output(), random_);
    constexpr const char* activations[] = {"", "relu", "silu", "clip"};
    const std::string activation = activations[from(0, 3)];
    if (!activation.empty()) c.attributes.set("activation", activation);
    if (activation == "clip") {
      c.attributes.set("activation_alpha", -0.5F);
      c.attributes.set("activation_beta", 1.0F);
    }
    return c;
  }

 private:
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  std::mt19937 random_;
};

TEST(WinogradKernel, EqualsEvaluateInEveryCutOnEveryInstructionSet) {
  for (unsigned seed = 1; seed <= (is_full() ? 200 : 8); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_equals_evaluate(DrawnShapes(seed).next_case());
  }
}

TEST(WinogradKernel, OfImagesSmallerThanATileEqualsEvaluate) {
  std::mt19937 random(1);
  for (const Shape& shape :
       {Shape{{1, 1, 3, 3}, 1, {0, 0, 0, 0}}, Shape{{1, 5, 1, 1}, 3, {1, 1, 1, 1}},
        Shape{{2, 17, 1, 9}, 33, {2, 0, 1, 1}}})
    expect_equals_evaluate(case_of(shape, random));
}

/// More channels than are added up at once, and more tiles than go through the filters together.
TEST(WinogradKernel, OfManyChannelsAndTilesEqualsEvaluate) {
  std::mt19937 random(1);
  expect_equals_evaluate(case_of({{1, 800, 5, 5}, 5, {1, 1, 1, 1}}, random));
  expect_equals_evaluate(case_of({{1, 2, 150, 150}, 3, {1, 1, 1, 1}}, random));
}

TEST(WinogradKernel, OfGroupsEqualsEvaluate) {
  std::mt19937 random(1);
  for (const std::int64_t groups : {2, 3}) {
    const Shape shape{{2, 17 * groups, 13, 9}, 40 * groups, {1, 1, 1, 1}};
    Case c = case_of(shape, random);
    c.attributes.set("group", groups);
    c.attributes.set("activation", std::string(groups == 2 ? "relu" : "silu"));
    c.inputs[1] = random_tensor({shape.out_channels, 17, 3, 3}, random);
    c.inputs.push_back(random_tensor({shape.out_channels}, random));
    c.inputs.push_back(random_tensor(shape.output(), random));
    expect_equals_evaluate(c);
    c.inputs[0] = special_tensor(shape.x, random, 0.002);
    expect_equals_evaluate(c);
  }
}

TEST(WinogradKernel, SpecialNumbersComeOutWhereTheyBelong) {
  std::mt19937 random(1);
  for (const Shape& shape :
       {Shape{{1, 7, 14, 9}, 70, {1, 1, 1, 1}}, Shape{{2, 33, 6, 6}, 9, {0, 2, 1, 0}}}) {
    Case c = case_of(shape, random);
    c.inputs[0] = special_tensor(shape.x, random, 0.002);
    expect_equals_evaluate(c);
  }
}

/// What an infinity becomes depends on the sign of its weight. The weights are read back from
/// rounded filters, in which small ones are lost: there are a few of these, or many.
TEST(WinogradKernel, InfinitiesMeetTheSignsOfSmallWeights) {
  for (const double share : {0.01, 0.5})
    for (const float small : {0.0F, 1e-12F, -1e-12F}) {
      SCOPED_TRACE(fmt::format("a share of {} is {}", share, small));
      std::mt19937 random(1);
      Case c = case_of({{1, 9, 10, 7}, 70, {1, 1, 1, 1}}, random);
      c.inputs[0] = special_tensor({1, 9, 10, 7}, random, 0.01);
      std::bernoulli_distribution is_small(share);
      for (float& w : c.inputs[1].mutable_data<float>())
        if (is_small(random)) w = small;
      expect_equals_evaluate(c);
    }
}

TEST(WinogradKernel, WeightsWhoseFiltersAreInfiniteEqualEvaluate) {
  std::mt19937 random(1);
  Case c = case_of({{1, 1, 9, 9}, 20, {1, 1, 1, 1}}, random);
  for (float& x : c.inputs[0].mutable_data<float>()) x *= 1e-36F;
  for (float& w : c.inputs[1].mutable_data<float>()) w = w < 0 ? -3e38F : 3e38F;
  expect_equals_evaluate(c);
}

/// The transforms of such numbers are infinite, their sums are not.
TEST(WinogradKernel, NearTheLargestNumberEqualsEvaluate) {
  std::mt19937 random(1);
  Case c = case_of({{1, 3, 13, 13}, 20, {1, 1, 1, 1}}, random);
  for (float& w : c.inputs[1].mutable_data<float>()) w *= 0.01F;
  for (const std::size_t i : {0, 40, 41, 100})
    c.inputs[0].mutable_data<float>()[i] = std::numeric_limits<float>::max();
  expect_equals_evaluate(c);
}

using WinogradChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, WinogradChoice, kEachMachine, name_of_machine);

TEST_P(WinogradChoice, IsTakenOnlyIfAskedFor) {
  std::mt19937 random(1);
  const Case c = case_of({{1, 64, 28, 28}, 64, {1, 1, 1, 1}}, random);
  CaseRunner runner(c);
  KernelCall call = runner.call();
  EXPECT_FALSE(prepare(call).implementation.starts_with("winograd"));
  call.inputs = {channels_last_order(4), {}};
  call.output = channels_last_order(4);
  EXPECT_TRUE(prepare_as(call, kWinograd4));
  EXPECT_TRUE(prepare_as(call, kWinograd2));
}

TEST_P(WinogradChoice, IsNotForOtherWindows) {
  std::mt19937 random(1);
  for (const Attributes& attributes :
       {Attributes{{"strides", Dims{2, 1}}}, Attributes{{"dilations", Dims{1, 2}}}}) {
    Case c = case_of({{1, 4, 9, 9}, 4, {1, 1, 1, 1}}, random);
    c.attributes = attributes;
    expect_no_winograd(c);
  }
}

TEST_P(WinogradChoice, IsNotForGroupsOfFewChannels) {
  std::mt19937 random(1);
  Case c = case_of({{1, 16, 9, 9}, 16, {1, 1, 1, 1}}, random);
  c.attributes.set("group", std::int64_t{4});
  c.inputs[1] = random_tensor({16, 4, 3, 3}, random);
  expect_no_winograd(c);
}

TEST_P(WinogradChoice, IsNotForWeightsThatAreNotFinite) {
  std::mt19937 random(1);
  Case c = case_of({{1, 4, 9, 9}, 4, {1, 1, 1, 1}}, random);
  c.inputs[1].mutable_data<float>()[17] = std::numeric_limits<float>::infinity();
  expect_no_winograd(c);
}

/// The error, as a share of the largest result, of a layer of a trained network: inputs are what
/// Relu leaves, weights are as He et al. draw them.
TEST(WinogradKernel, OfARealisticLayerIsPrecise) {
  constexpr std::int64_t channels = 512;
  std::mt19937 random(1);
  Case c = case_of({{1, channels, 8, 8}, 16, {1, 1, 1, 1}}, random);
  std::normal_distribution<float> normal;
  for (float& x : c.inputs[0].mutable_data<float>()) x = std::max(0.0F, normal(random));
  for (float& w : c.inputs[1].mutable_data<float>())
    w = normal(random) * std::sqrt(2.0F / (9 * channels));
  const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
  CaseRunner runner(c);
  for (const Way& way : winograd_ways(runner))
    EXPECT_EQ(difference(runner.run(way, {}, 1)[0], expected, 1e-5), "") << way.implementation;
}

}  // namespace
}  // namespace braid::cpu
