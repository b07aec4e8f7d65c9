#include <limits>

#include <rapidcheck.h>

#include "device/cpu/kernels/interleave.h"
#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/machines.h"
#include "device/cpu/testing/picks.h"
#include "ops/shared/epilogue.h"

/// Convolutions of images, which have few channels, by the kernel of our own, with borders, pitches
/// and every cut, in both orders of the image.

namespace braid::cpu {
namespace {

constexpr std::string_view kWayOfImages = "image";

/// The way of images for an image in that order.
std::optional<Way> way_of_image(const CaseRunner& runner, bool channels_last) {
  KernelCall call = runner.call();
  if (channels_last) call.inputs[0] = channels_last_order(call.op.dims(0).size());
  for (Way& way : every_way(call))
    if (way.implementation == kWayOfImages) return std::move(way);
  return std::nullopt;
}

/// Empty if an image in either order gives what is evaluated, in every cut.
std::string difference_of_image(const Case& c, double tolerance) {
  const LaneSettings settings;
  const Tensor expected = evaluate(c.op, c.attributes, c.inputs)[0];
  CaseRunner runner(c);
  for (const bool channels_last : {false, true}) {
    const std::optional<Way> way = way_of_image(runner, channels_last);
    if (!way) return "no such way for " + runner.describe_types();
    const std::string text = difference(runner.run_in_every_cut(*way)[0], expected, tolerance);
    if (!text.empty()) return runner.describe_types() + ": " + text;
  }
  return "";
}

struct ImageSizes {
  std::int64_t channels;
  std::int64_t outputs;
  Dims kernel;
};

/// Borders are as wide as the kernel, or wider than the image.
Case pick_image(const ImageSizes& sizes, std::int64_t most_extra) {
  std::mt19937 random = pick_random();
  const std::size_t axes = sizes.kernel.size();
  Dims dilations(axes, 1);
  if (pick(0, 3) == 0)
    for (std::size_t i = 0; i + 1 < axes; ++i) dilations[i] = pick(1, 3);
  const bool may_have_only_padding = pick(0, 4) == 0;
  Dims pads;
  for (std::size_t i = 0; i < 2 * axes; ++i)
    pads.push_back(pick(0, may_have_only_padding ? 9 : sizes.kernel[i % axes] - 1));
  Dims strides;
  for (std::size_t i = 0; i < axes; ++i) strides.push_back(pick(1, 4));
  Dims x = {pick(1, 2), sizes.channels};
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t reach = (sizes.kernel[i] - 1) * dilations[i] + 1;
    x.push_back(std::max<std::int64_t>(1, reach - pads[i] - pads[axes + i]) + pick(0, most_extra));
  }
  Dims w = {sizes.outputs, sizes.channels};
  w.insert(w.end(), sizes.kernel.begin(), sizes.kernel.end());
  Case c;
  c.op = "Conv";
  c.attributes = {{"dilations", dilations}, {"pads", pads}, {"strides", strides}};
  c.inputs = {random_tensor(x, random, Numbers::SmallIntegers),
              random_tensor(w, random, Numbers::SmallIntegers)};
  c.constant = {false, true};
  c.inputs.resize(4);
  if (pick(0, 1) == 1) c.inputs[Epilogue::kBiasInput] = random_tensor({w[0]}, random);
  if (pick(0, 1) == 1)
    c.inputs[Epilogue::kResidualInput] = random_tensor(CaseRunner(c).output().dims, random);
  const std::string activation =
      *rc::gen::element<std::string>("", "relu", "silu", "clip", "hardswish");
  if (!activation.empty()) c.attributes.set("activation", activation);
  if (activation == "clip") c.attributes.set("activation_beta", 6.0F);
  return c;
}

template <class PickCase>
void check_images_on_every_isa(PickCase pick_case) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([&] {
      const std::string text = difference_of_image(pick_case(), 1e-5);
      if (!text.empty()) RC_FAIL(text);
    })) << name(limit);
  }
}

TEST(ImageKernel, EqualsEvaluateOnEveryInstructionSet) {
  check_images_on_every_isa([] {
    const Dims kernel = {pick(1, 7), pick(1, 7)};
    return pick_image({pick(1, 15), pick(1, 40), kernel}, 20);
  });
}

TEST(ImageKernel, OfManyOutputsAndWideImagesEqualsEvaluate) {
  check_images_on_every_isa([] {
    const std::int64_t taps = *rc::gen::element<std::int64_t>(1, 2, 3, 7, 11);
    return pick_image({pick(1, 4), pick(41, 150), {taps, taps}}, 45);
  });
}

TEST(ImageKernel, OfOneOrThreeAxesEqualsEvaluate) {
  check_images_on_every_isa([] {
    Dims kernel;
    for (std::int64_t axes = *rc::gen::element<std::int64_t>(1, 3); axes > 0; --axes)
      kernel.push_back(pick(1, 4));
    return pick_image({pick(1, 6), pick(1, 40), kernel}, 7);
  });
}

Case plain_image(Dims x, Dims w, Dims strides) {
  std::mt19937 random(1);
  return {.op = "Conv",
          .attributes = {{"strides", std::move(strides)}},
          .inputs = {random_tensor(std::move(x), random, Numbers::SmallIntegers),
                     random_tensor(std::move(w), random, Numbers::SmallIntegers)},
          .constant = {false, true}};
}

/// Of more products than a panel's part in the cache has: by taps, and by parts of one tap.
TEST(ImageKernel, OfLargeKernelsEqualsEvaluateOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_EQ(difference_of_image(plain_image({1, 3, 40, 70}, {20, 3, 32, 32}, {4, 16}), 0), "");
    EXPECT_EQ(difference_of_image(plain_image({1, 9, 3, 130}, {70, 9, 2, 110}, {1, 5}), 0), "");
    EXPECT_EQ(difference_of_image(plain_image({1, 1, 130, 5}, {33, 1, 100, 1}, {7, 1}), 0), "");
  }
}

/// What does not fit into one band of the cache is done in several.
TEST(ImageKernel, OfLargeImagesEqualsEvaluate) {
  EXPECT_EQ(difference_of_image(plain_image({1, 12, 330, 170}, {3, 12, 3, 3}, {2, 2}), 0), "");
  EXPECT_EQ(difference_of_image(plain_image({1, 3, 12, 9000}, {2, 3, 5, 2}, {1, 3}), 0), "");
}

/// NaN and infinities of an image reach the pixels whose windows they are in, and no others.
TEST(ImageKernel, TakesSpecialNumbersAsTheyAreEvaluated) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    std::mt19937 random(2);
    Case c = plain_image({2, 3, 21, 37}, {20, 3, 3, 5}, {2, 2});
    c.attributes.set("pads", Dims{2, 3, 1, 4});
    for (float& x : c.inputs[0].mutable_data<float>())
      if (random() % 300 == 0) x = std::numeric_limits<float>::quiet_NaN();
    for (float& x : c.inputs[0].mutable_data<float>())
      if (random() % 300 == 0) x = std::numeric_limits<float>::infinity();
    EXPECT_EQ(difference_of_image(c, 0), "");
  }
}

using ImageChoice = OnEachMachine;
INSTANTIATE_TEST_SUITE_P(Machines, ImageChoice, kEachMachine, name_of_machine);

/// Padding times such a weight is not zero.
TEST_P(ImageChoice, RefusesWeightsThatAreNotFinite) {
  for (const float weight :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Case c = plain_image({1, 3, 9, 9}, {16, 3, 3, 3}, {1, 1});
    c.inputs[1].mutable_data<float>()[77] = weight;
    EXPECT_FALSE(way_of_image(CaseRunner(c), false));
  }
}

TEST_P(ImageChoice, RefusesWhatItIsNotFor) {
  const auto refuses = [](const Case& c) { return !way_of_image(CaseRunner(c), false); };
  Case c = plain_image({1, 16, 9, 9}, {16, 16, 3, 3}, {1, 1});
  EXPECT_TRUE(refuses(c)) << "panels do";
  c = plain_image({1, 4, 9, 9}, {16, 2, 3, 3}, {1, 1});
  c.attributes.set("group", 2);
  EXPECT_TRUE(refuses(c)) << "groups";
  c = plain_image({1, 3, 9, 9}, {16, 3, 3, 3}, {1, 1});
  c.attributes.set("dilations", Dims{1, 2});
  EXPECT_TRUE(refuses(c)) << "taps that are not neighbours";
  c = plain_image({1, 3, 9, 9}, {16, 3, 3, 3}, {1, 1});
  c.constant = {false, false};
  EXPECT_TRUE(refuses(c)) << "weights that are not constant";
}

/// A line of padding would take more memory than is sensible.
TEST_P(ImageChoice, RefusesBandsThatAreTooLarge) {
  Case c = plain_image({1, 1, 2, 2}, {1, 1, 1, 2}, {1, 1});
  const std::int64_t far = std::int64_t{1} << 30;
  c.attributes.set("pads", Dims{0, far, 0, far});
  c.attributes.set("strides", Dims{1, far});
  EXPECT_FALSE(way_of_image(CaseRunner(c), false));
}

TEST(ImageKernel, OfPaddingFarBeyondTheImageEqualsEvaluate) {
  Case c = plain_image({1, 2, 3, 3}, {17, 2, 2, 2}, {1, 1});
  const std::int64_t far = std::int64_t{1} << 30;
  c.attributes.set("pads", Dims{far, 1, far, 1});
  c.attributes.set("strides", Dims{far, 1});
  EXPECT_EQ(difference_of_image(c, 0), "");
}

/// The first convolutions of networks, whose image is row-major, need no reorder.
TEST_P(ImageChoice, IsTakenForFirstConvolutions) {
  const auto taken = [](std::int64_t taps, std::int64_t stride, std::int64_t outputs) {
    const Case c = plain_image({1, 3, 64, 64}, {outputs, 3, taps, taps}, {stride, stride});
    const Way way = prepare(CaseRunner(c).call());
    return way.input_orders[0].empty() ? way.implementation : way.implementation + ", reordered";
  };
  EXPECT_EQ(taken(7, 2, 64), kWayOfImages);
  EXPECT_EQ(taken(3, 2, 32), kWayOfImages);
  EXPECT_EQ(taken(3, 1, 64), kWayOfImages);
  EXPECT_EQ(taken(16, 16, 768), kWayOfImages);
  EXPECT_NE(taken(1, 1, 64), kWayOfImages) << "too few products per sum";
  EXPECT_NE(taken(3, 1, 3), kWayOfImages) << "no whole vector of output channels";
}

TEST(Interleave, PutsTheChannelsOfAnElementSideBySide) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    for (std::int64_t channels = 1; channels <= 6; ++channels)
      for (const std::int64_t count : {0, 1, 15, 16, 37}) {
        std::vector<float> planes;
        std::vector<float> expected;
        for (std::int64_t i = 0; i < channels * 50; ++i) planes.push_back(static_cast<float>(i));
        for (std::int64_t i = 0; i < count; ++i)
          for (std::int64_t c = 0; c < channels; ++c)
            expected.push_back(static_cast<float>(c * 50 + i));
        expected.push_back(-1);
        std::vector<float> got(expected.size(), -1);
        interleave({planes.data(), 50, channels, count}, got.data());
        EXPECT_EQ(got, expected) << channels << " x " << count << ", " << name(limit);
      }
  }
}

}  // namespace
}  // namespace braid::cpu
