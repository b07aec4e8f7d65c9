#include <rapidcheck.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "device/cpu/testing/picks.h"
#include "ops/conv_parts_cpu.h"
#include "ops/separable_conv.h"

/// A depthwise convolution and its pointwise neighbour in one pass, beside the two of them alone.

namespace braid::cpu {
namespace {

/// What a Conv reads besides its first input.
struct ConvHalf {
  Attributes attributes;
  Tensor weights;
  Tensor bias;
  Tensor residual;
};

struct SeparableCase {
  Tensor x;
  ConvHalf depthwise;
  ConvHalf pointwise;

  Case joined() const {
    Case c;
    c.op = "SeparableConv";
    c.attributes = separable_attributes(depthwise.attributes, pointwise.attributes);
    c.inputs = {x,
                depthwise.weights,
                pointwise.weights,
                depthwise.bias,
                pointwise.bias,
                pointwise.residual};
    c.constant = {false, true, true};
    return c;
  }
};

Case conv_of(const Tensor& x, const ConvHalf& half) {
  return {.op = "Conv",
          .attributes = half.attributes,
          .inputs = {x, half.weights, half.bias, half.residual},
          .constant = {false, true}};
}

void pick_activation(Attributes& attributes) {
  const std::string activation =
      *rc::gen::element<std::string>("", "relu", "silu", "clip", "hardswish");
  if (!activation.empty()) attributes.set("activation", activation);
  if (activation == "clip") attributes.set("activation_beta", 6.0F);
}

/// Images of that many pixels, or a few more where the window asks for them.
SeparableCase pick_separable(std::int64_t channels, const Dims& pixels) {
  std::mt19937 random = pick_random();
  const std::int64_t taps = *rc::gen::element<std::int64_t>(3, 3, 5, 7, 2);
  const std::int64_t columns = pick(1, 70);
  Dims kernel(pixels.size(), taps);
  if (pick(0, 2) == 0) kernel[0] = pick(1, 3);
  Dims x = {pick(1, 2), channels};
  for (const std::int64_t extent : pixels) x.push_back(std::max(extent, taps));
  Dims first = {channels, 1};
  first.insert(first.end(), kernel.begin(), kernel.end());
  Dims second = {columns, channels};
  second.resize(2 + pixels.size(), 1);
  Dims pads;
  for (std::size_t i = 0; i < 2 * pixels.size(); ++i) pads.push_back(pick(0, taps - 1));
  SeparableCase c;
  c.x = random_tensor(x, random);
  c.depthwise = {.attributes = {{"group", channels},
                                {"pads", pads},
                                {"strides", Dims(pixels.size(), pick(1, 2))}},
                 .weights = random_tensor(first, random),
                 .bias = {},
                 .residual = {}};
  c.pointwise.weights = random_tensor(second, random);
  if (pick(0, 1) == 1) c.depthwise.bias = random_tensor({channels}, random);
  if (pick(0, 1) == 1) c.pointwise.bias = random_tensor({columns}, random);
  pick_activation(c.depthwise.attributes);
  pick_activation(c.pointwise.attributes);
  if (pick(0, 1) == 1)
    c.pointwise.residual = random_tensor(CaseRunner(c.joined()).output().dims, random);
  return c;
}

/// So many pixels in a row that a tile has one row or two.
std::int64_t long_row(std::int64_t channels) {
  return machine().second_level_bytes / (12 * channels * std::int64_t{sizeof(float)});
}

Way way_named(const KernelCall& call, std::string_view implementation) {
  for (Way& way : every_way(call))
    if (way.implementation == implementation) return std::move(way);
  raise(ErrorKind::Internal, "there is no such way");
}

Tensor run_by(const Case& c, std::string_view implementation) {
  const LaneSettings settings;
  CaseRunner runner(c);
  return runner.run_in_every_cut(way_named(runner.call(), implementation))[0];
}

Tensor run_both_halves(const SeparableCase& c) {
  const Tensor between = run_by(conv_of(c.x, c.depthwise), "depthwise");
  return run_by(conv_of(between, c.pointwise), "panels");
}

template <class Check>
void on_every_isa(Check check) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check(check)) << name(limit);
  }
}

TEST(SeparableKernel, EqualsEvaluateOnEveryInstructionSet) {
  on_every_isa([] {
    const Dims pixels = pick(0, 5) == 0 ? Dims{pick(7, 30)} : Dims{pick(7, 12), pick(7, 20)};
    const Case c = pick_separable(pick(2, 70), pixels).joined();
    const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
    for (const std::string_view way : {kApart, kSeparable}) {
      const std::string text = difference(run_by(c, way), expected, 1e-5);
      if (!text.empty()) RC_FAIL(text);
    }
  });
}

TEST(SeparableKernel, HasTheBitsOfItsTwoHalves) {
  on_every_isa([] {
    const SeparableCase c = pick_separable(pick(2, 300), {pick(7, 9), pick(7, 20)});
    const Tensor expected = run_both_halves(c);
    for (const std::string_view way : {kApart, kSeparable})
      RC_ASSERT(identical(run_by(c.joined(), way), expected));
  });
}

TEST(SeparableKernel, HasTheSameBitsInManyTiles) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    std::mt19937 random(1);
    const std::int64_t channels = 130;
    SeparableCase c;
    c.x = random_tensor({2, channels, 7, long_row(channels)}, random);
    c.depthwise = {.attributes = {{"group", channels},
                                  {"pads", Dims{1, 1, 1, 1}},
                                  {"activation", std::string("relu")}},
                   .weights = random_tensor({channels, 1, 3, 3}, random),
                   .bias = random_tensor({channels}, random),
                   .residual = {}};
    c.pointwise.weights = random_tensor({20, channels, 1, 1}, random);
    c.pointwise.residual = random_tensor({2, 20, 7, long_row(channels)}, random);
    EXPECT_TRUE(identical(run_by(c.joined(), kSeparable), run_both_halves(c))) << name(limit);
  }
}

using SeparableChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, SeparableChoice, kEachMachine, name_of_machine);

TEST_P(SeparableChoice, NeedsATileAtATimeInOnePass) {
  std::mt19937 random(1);
  const std::int64_t channels = 32;
  SeparableCase c;
  c.x = random_tensor({1, channels, 40, long_row(channels)}, random);
  c.depthwise.attributes = {{"group", channels}, {"pads", Dims{1, 1, 1, 1}}};
  c.depthwise.weights = random_tensor({channels, 1, 3, 3}, random);
  c.pointwise.weights = random_tensor({8, channels, 1, 1}, random);
  const Case joined = c.joined();
  const CaseRunner runner(joined);
  EXPECT_EQ(way_named(runner.call(), kApart).scratch_bytes, byte_size(c.x.type()));
  EXPECT_LE(way_named(runner.call(), kSeparable).scratch_bytes, machine().second_level_bytes / 8);
}

TEST(SeparableKernel, KeepsNumbersThatAreNotFiniteWhereTheyBelong) {
  std::mt19937 random(1);
  SeparableCase c;
  c.x = random_tensor({1, 24, 9, 9}, random);
  c.x.mutable_data<float>()[40] = std::numeric_limits<float>::quiet_NaN();
  c.x.mutable_data<float>()[500] = std::numeric_limits<float>::infinity();
  c.depthwise = {.attributes = {{"group", 24},
                                {"pads", Dims{1, 1, 1, 1}},
                                {"activation", std::string("relu")}},
                 .weights = random_tensor({24, 1, 3, 3}, random),
                 .bias = {},
                 .residual = {}};
  c.pointwise.weights = random_tensor({17, 24, 1, 1}, random);
  const Case joined = c.joined();
  const Tensor expected = evaluate(joined.op, joined.attributes, joined.inputs)[0];
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_EQ(difference(run_by(joined, kSeparable), expected, 1e-5), "") << name(limit);
  }
}

}  // namespace
}  // namespace braid::cpu
