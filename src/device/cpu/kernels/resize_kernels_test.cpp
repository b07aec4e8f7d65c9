#include "device/cpu/machine/isa.h"
#include "device/cpu/testing/kernels.h"
#include "device/cpu/testing/picks.h"

namespace braid::cpu {
namespace {

std::string pick_text(std::initializer_list<std::string> texts) {
  return *rc::gen::elementOf(std::vector<std::string>(texts));
}

Tensor list_of(const std::vector<std::int64_t>& numbers) {
  return Tensor::of<std::int64_t>({std::ssize(numbers)}, std::span<const std::int64_t>(numbers));
}

Case pick_resize(std::size_t rank) {
  std::mt19937 random = pick_random();
  Dims dims;
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < rank; ++i) {
    dims.push_back(pick(1, pick(0, 3) == 0 ? 24 : 6));
    sizes.push_back(pick(0, 1) == 0 ? dims.back() : pick(1, 14));
  }
  Case c;
  c.op = "Resize";
  c.inputs = {special_tensor(dims, random, 0.02), {}, {}, list_of(sizes)};
  c.constant = {false, true, true, true};
  const std::string mode = pick_text({"nearest", "linear", "cubic"});
  c.attributes.set("mode", mode);
  c.attributes.set("coordinate_transformation_mode",
                   pick_text({"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                              "align_corners", "asymmetric"}));
  if (mode == "nearest")
    c.attributes.set("nearest_mode",
                     pick_text({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
  else
    c.attributes.set("antialias", pick(0, 1));
  return c;
}

TEST(ResizeKernel, EqualsEvaluateInAnyOrderOnEveryInstructionSet) {
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    EXPECT_TRUE(rc::check([] {
      const auto rank = static_cast<std::size_t>(pick(1, 5));
      const Case c = pick_resize(rank);
      const std::string fault = fault_in_order(c, pick_order(rank), 2e-6, "resize");
      if (!fault.empty()) RC_FAIL(fault);
    }));
  }
}

TEST(ResizeKernel, MakesImagesOfChannelsLargerAndSmaller) {
  std::mt19937 random(5);
  const Tensor x = special_tensor({2, 37, 9, 11}, random, 0.01);
  for (const Isa limit : {Isa::Baseline, Isa::Avx2, Isa::Avx512}) {
    const LimitedIsa limited(limit);
    for (const AxisOrder& order : {AxisOrder{}, channels_last_order(4)})
      for (const char* mode : {"nearest", "linear", "cubic"})
        for (const auto& [height, width] : {std::pair{18, 22}, {27, 5}, {9, 30}, {20, 11}}) {
          const Case c{.op = "Resize",
                       .attributes = {{"mode", mode}},
                       .inputs = {x, {}, {}, list_of({2, 37, height, width})},
                       .constant = {false, true, true, true}};
          EXPECT_EQ(fault_in_order(c, order, 2e-6, "resize"), "")
              << mode << " to " << height << "x" << width;
        }
  }
}

TEST(ResizeKernel, PicksElementsOfEveryType) {
  const Case c{.op = "Upsample",
               .inputs = {Tensor::of<std::int64_t>({1, 1, 2, 2}, {1, 2, 3, std::int64_t{1} << 60}),
                          Tensor::of<float>({4}, {1, 1, 2, 3})},
               .constant = {false, true}};
  std::string used;
  EXPECT_EQ(compare_with_evaluate(c, 0, &used), "");
  EXPECT_EQ(used, "resize");
}

TEST(ResizeKernel, HasNoInfinityPassThroughAWeightOfZero) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Case c{
      .op = "Resize",
      .attributes = {{"mode", "linear"}, {"coordinate_transformation_mode", "align_corners"}},
      .inputs = {Tensor::of<float>({1, 1, 2, 3}, {infinity, 1, 2, 3, 4, -infinity}),
                 {},
                 {},
                 list_of({1, 1, 3, 5})},
      .constant = {false, true, true, true}};
  EXPECT_EQ(fault_in_order(c, {}, 0, "resize"), "");
  EXPECT_EQ(fault_in_order(c, channels_last_order(4), 0, "resize"), "");
}

TEST(ResizeKernel, LeavesExtrapolationAndSumsOfOtherElementsToEvaluate) {
  std::mt19937 random(3);
  Case c{
      .op = "Resize",
      .attributes = {{"mode", "linear"}, {"coordinate_transformation_mode", "tf_crop_and_resize"}},
      .inputs = {random_tensor({4, 5}, random),
                 Tensor::of<float>({4}, {-0.5F, 0, 1, 1}),
                 {},
                 list_of({6, 6})},
      .constant = {false, true, true, true}};
  EXPECT_EQ(fault_in_order(c, {}, 0, "evaluate"), "");
  c.inputs[1] = Tensor::of<float>({4}, {0.25F, 0, 1, 1});
  EXPECT_EQ(fault_in_order(c, {}, 2e-6, "resize"), "");
  c.inputs = {Tensor::of<std::int32_t>({3}, {1, 5, 2}), {}, {}, list_of({5})};
  c.attributes = {{"mode", "linear"}};
  EXPECT_EQ(fault_in_order(c, {}, 0, "evaluate"), "");
}

}  // namespace
}  // namespace braid::cpu
