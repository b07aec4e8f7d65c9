#include "ops/resize.h"

#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

Attributes with(std::string mode, Attributes more = {}) {
  more.set("mode", std::move(mode));
  return more;
}

const Tensor kThree = floats({1, 3}, {1, 2, 3});
const Tensor kTwice = floats({2}, {1, 2});

TEST(Resize, Enlarges) {
  const std::vector<Tensor> inputs = {kThree, Tensor{}, kTwice};
  expect_elements<float>(result_of("Resize", inputs), {1, 6}, {1, 1, 2, 2, 3, 3});
  expect_near(result_of("Resize", inputs, with("linear")), {1, 6},
              {1, 1.25F, 1.75F, 2.25F, 2.75F, 3});
  expect_near(
      result_of("Resize", inputs,
                with("linear", {{"coordinate_transformation_mode", std::string("align_corners")}})),
      {1, 6}, {1, 1.4F, 1.8F, 2.2F, 2.6F, 3});
  expect_near(result_of("Resize", inputs, with("cubic")), {1, 6},
              {0.8945312F, 1.191406F, 1.667969F, 2.332031F, 2.808594F, 3.105469F});
}

// ONNX's text says 0, its reference -0.5, which only "cubic" can tell apart.
TEST(Resize, TakesTheFirstPixelForALengthOfOne) {
  const std::vector<Tensor> inputs = {kThree, Tensor{}, Tensor{}, list({1, 1})};
  const Attributes attributes =
      with("cubic", {{"coordinate_transformation_mode", std::string("pytorch_half_pixel")}});
  expect_near(result_of("Resize", inputs, attributes), {1, 1}, {1});
}

TEST(Resize, AntialiasesWhenShrinking) {
  const std::vector<Tensor> inputs = {floats({4}, {1, 2, 3, 4}), Tensor{}, Tensor{}, list({2})};
  expect_near(result_of("Resize", inputs, with("linear", {{"antialias", std::int64_t{1}}})), {2},
              {1.625F, 3.375F});
}

TEST(Resize, CropsAndExtrapolates) {
  const std::vector<Tensor> inputs = {floats({4}, {1, 2, 3, 4}), floats({2}, {0.5F, 1.5F}),
                                      Tensor{}, list({3})};
  expect_near(result_of("Resize", inputs,
                        with("linear",
                             {{"coordinate_transformation_mode", std::string("tf_crop_and_resize")},
                              {"extrapolation_value", 9.0F}})),
              {3}, {2.5F, 4, 9});
}

TEST(Resize, KeepsTheAspectRatioIfAsked) {
  const Tensor x = integers({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<Tensor> inputs = {x, Tensor{}, Tensor{}, list({4, 4})};
  EXPECT_EQ(
      result_of("Resize", inputs, {{"keep_aspect_ratio_policy", std::string("not_larger")}}).dims(),
      (Dims{2, 4}));
  EXPECT_EQ(result_of("Resize", inputs, {{"keep_aspect_ratio_policy", std::string("not_smaller")}})
                .dims(),
            (Dims{4, 8}));
}

TEST(Resize, ResizesOnlyTheGivenAxes) {
  const Tensor x = integers({2, 2}, {1, 2, 3, 4});
  expect_elements<std::int64_t>(result_of("Resize", {x, Tensor{}, Tensor{}, list({4})},
                                          {{"axes", std::vector<std::int64_t>{-1}}}),
                                {2, 4}, {1, 1, 2, 2, 3, 3, 4, 4});
}

TEST(Resize, RoundsIntegers) {
  const Tensor x = Tensor::of<std::uint8_t>({2}, {0, 255});
  expect_elements<std::uint8_t>(
      result_of("Resize", {x, Tensor{}, floats({1}, {2})}, with("linear")), {4}, {0, 64, 191, 255});
}

TEST(Resize, PicksTruthValues) {
  const Tensor x = Tensor::of<bool>({2}, {true, false});
  expect_elements<bool>(result_of("Resize", {x, Tensor{}, floats({1}, {2})}), {4},
                        {true, true, false, false});
}

TEST(Resize, RefusesWhatDoesNotFit) {
  EXPECT_EQ(complaint_of("Resize", {kThree}),
            "bad model or input: Resize needs either scales or sizes");
  EXPECT_EQ(complaint_of("Resize", {kThree, Tensor{}, floats({1}, {2})}),
            "bad model or input: Resize has 1 scales for 2 axes");
  EXPECT_EQ(complaint_of("Resize", {kThree, Tensor{}, floats({2}, {1, 0})}),
            "bad model or input: Resize has the scale 0 for the extent 3");
  EXPECT_EQ(complaint_of("Resize", {kThree, Tensor{}, kTwice}, with("square")),
            "bad model or input: attribute 'mode' of Resize has the unknown value 'square'");
}

TEST(Upsample, RepeatsElements) {
  expect_elements<float>(result_of("Upsample", {kThree, floats({2}, {2, 1.5F})}), {2, 4},
                         {1, 1, 2, 3, 1, 1, 2, 3});
}

TEST(DepthToSpace, MovesChannelsIntoBlocks) {
  const Tensor x = integers({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Attributes block = {{"blocksize", std::int64_t{2}}};
  const Tensor dcr = result_of("DepthToSpace", {x}, block);
  expect_elements<std::int64_t>(dcr, {1, 2, 2, 2}, {0, 2, 4, 6, 1, 3, 5, 7});
  EXPECT_TRUE(identical(result_of("SpaceToDepth", {dcr}, block), x));
  Attributes crd = block;
  crd.set("mode", std::string("CRD"));
  const Tensor other = result_of("DepthToSpace", {x}, crd);
  expect_elements<std::int64_t>(other, {1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_TRUE(identical(result_of("SpaceToDepth", {other}, crd), x));
  EXPECT_EQ(complaint_of("DepthToSpace", {x}, {{"blocksize", std::int64_t{3}}}),
            "bad model or input: DepthToSpace cannot split 8 channels into blocks of 3x3");
}

}  // namespace
}  // namespace braid
