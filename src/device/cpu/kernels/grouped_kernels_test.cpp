#include <rapidcheck.h>

#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "device/cpu/testing/picks.h"
#include "ops/shared/epilogue.h"

/// Convolutions in groups by the kernels of our own, with borders, pitches and every cut.

namespace braid::cpu {
namespace {

/// One number for each of two axes, or for a single one.
Dims for_axes(std::size_t axes, std::int64_t low, std::int64_t high) {
  Dims dims;
  for (std::size_t i = 0; i < axes; ++i) dims.push_back(pick(low, high));
  return dims;
}

struct GroupSizes {
  std::int64_t groups;
  std::int64_t in;
  std::int64_t out;
};

/// Exact on small integers, but for what an activation makes of them.
Case pick_grouped(const GroupSizes& sizes, Dims kernel) {
  std::mt19937 random = pick_random();
  const std::size_t axes = kernel.size();
  const Dims dilations = pick(0, 3) == 0 ? for_axes(axes, 1, 3) : Dims(axes, 1);
  const bool may_have_only_padding = pick(0, 4) == 0;
  Dims pads;
  for (std::size_t i = 0; i < 2 * axes; ++i)
    pads.push_back(pick(0, may_have_only_padding ? 4 : kernel[i % axes] - 1));
  Dims x = {pick(1, 2), sizes.in * sizes.groups};
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    x.push_back(std::max<std::int64_t>(1, reach - pads[i] - pads[axes + i]) + pick(0, 20));
  }
  Dims w = {sizes.out * sizes.groups, sizes.in};
  w.insert(w.end(), kernel.begin(), kernel.end());
  Case c;
  c.op = "Conv";
  c.attributes = {{"group", sizes.groups},
                  {"dilations", dilations},
                  {"pads", pads},
                  {"strides", for_axes(axes, 1, pick(1, 3))}};
  c.inputs = {random_tensor(x, random, Numbers::SmallIntegers),
              random_tensor(w, random, Numbers::SmallIntegers)};
  c.constant = {false, true};
  c.inputs.resize(4);
  if (pick(0, 1) == 1) c.inputs[Epilogue::kBiasInput] = random_tensor({w[0]}, random);
  if (pick(0, 1) == 1)
    c.inputs[Epilogue::kResidualInput] = random_tensor(CaseRunner(c).output().dims, random);
  const std::string activation = *rc::gen::element<std::string>("", "relu", "silu", "clip");
  if (!activation.empty()) c.attributes.set("activation", activation);
  if (activation == "clip") c.attributes.set("activation_beta", 6.0F);
  return c;
}

/// Whether the case was run by that implementation; fails if it is not as evaluated.
bool check_as(const Case& c, std::string_view implementation) {
  const LaneSettings settings;
  CaseRunner runner(c);
  for (const Way& way : every_way(runner.call()))
    if (way.implementation == implementation) {
      const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
      const std::string text = difference(runner.run_in_every_cut(way)[0], expected, 1e-5);
      if (!text.empty()) RC_FAIL(runner.describe_types() + ": " + text);
      return true;
    }
  return false;
}

template <class PickCase>
void check_on_every_isa(std::string_view implementation, PickCase pick_case) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    int used = 0;
    EXPECT_TRUE(rc::check([&] {
      if (check_as(pick_case(), implementation)) ++used;
    }));
    EXPECT_GE(used, 50) << name(limit);
  }
}

TEST(DepthwiseKernel, EqualsEvaluateOnEveryInstructionSet) {
  check_on_every_isa("depthwise", [] {
    const std::int64_t taps = *rc::gen::element<std::int64_t>(3, 3, 5, 7, 2, 9);
    const std::int64_t rows = pick(0, 2) == 0 ? pick(1, 4) : taps;
    return pick_grouped({pick(2, 70), 1, 1}, pick(0, 5) == 0 ? Dims{taps} : Dims{rows, taps});
  });
}

TEST(DepthwiseKernel, OfManyChannelsEqualsEvaluate) {
  check_on_every_isa("depthwise", [] { return pick_grouped({pick(250, 300), 1, 1}, {3, 3}); });
}

TEST(DepthwiseKernel, OfThreeAxesEqualsEvaluate) {
  std::mt19937 random(1);
  const Case c{
      .op = "Conv",
      .attributes = {{"group", 20}, {"pads", Dims{1, 0, 1, 0, 2, 1}}},
      .inputs = {random_tensor({1, 20, 4, 5, 12}, random), random_tensor({20, 1, 2, 3, 3}, random)},
      .constant = {false, true}};
  EXPECT_TRUE(check_as(c, "depthwise"));
}

/// Planes before and behind the image, of which no tap reads anything.
TEST(DepthwiseKernel, OfPlanesOfPaddingEqualsEvaluate) {
  std::mt19937 random(1);
  const Case c{
      .op = "Conv",
      .attributes = {{"group", 20}, {"pads", Dims{2, 1, 1, 1, 1, 1}}},
      .inputs = {random_tensor({1, 20, 2, 9, 12}, random), random_tensor({20, 1, 1, 3, 3}, random)},
      .constant = {false, true}};
  EXPECT_TRUE(check_as(c, "depthwise"));
}

TEST(GroupedKernel, EqualsEvaluateOnEveryInstructionSet) {
  check_on_every_isa("grouped", [] {
    const std::int64_t in = *rc::gen::element<std::int64_t>(4, 8, 16, 3, 12, 24);
    const std::int64_t out = in % 4 == 0 && pick(0, 1) == 0 ? in : 4 * pick(1, 11);
    const std::int64_t taps = *rc::gen::element<std::int64_t>(3, 3, 1, 2);
    const std::int64_t rows = pick(0, 2) == 0 ? pick(1, 3) : taps;
    return pick_grouped({pick(2, 7), in, out}, pick(0, 5) == 0 ? Dims{taps} : Dims{rows, taps});
  });
}

using GroupedChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, GroupedChoice, kEachMachine, name_of_machine);

/// ResNeXt's groups and kernels, and what oneDNN has no fast kernel for.
TEST_P(GroupedChoice, IsTakenForGroupsThatFillVectors) {
  std::mt19937 random(1);
  const auto taken = [&](std::int64_t groups, std::int64_t channels, std::int64_t taps) {
    const Case c{.op = "Conv",
                 .attributes = {{"group", groups}},
                 .inputs = {random_tensor({1, groups * channels, 9, 9}, random),
                            random_tensor({groups * channels, channels, taps, taps}, random)},
                 .constant = {false, true}};
    return prepare(CaseRunner(c).call()).implementation;
  };
  for (const std::int64_t channels : {4, 8, 16, 32}) EXPECT_EQ(taken(4, channels, 3), "grouped");
  EXPECT_EQ(taken(20, 1, 3), "depthwise");
  EXPECT_TRUE(taken(4, 5, 3).starts_with("onednn"));
  // All lines of 1,024 channels lie in one set of the cache. A row of this image, with an output
  // and weights, has places in a set of twelve lines, as AVX-512 loads it, and not of eight.
  const bool fits =
      machine_described().first_level_ways == 12 && machine_described().isa == Isa::Avx512;
  EXPECT_EQ(taken(1024, 1, 3).starts_with("onednn"), !fits) << taken(1024, 1, 3);
}

}  // namespace
}  // namespace braid::cpu
