#include "ops/fused_attention.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

const Tensor kRows = floats({2, 2}, {1, 0, 0, 1});
const Tensor kKeys = floats({2, 3}, {1, 2, 3, 4, -1, 0});
const Tensor kValues = floats({3, 1}, {1, 2, 3});

Attributes masked_by(const std::string& kind, float fill) {
  return {{"masks", std::vector<std::string>{kind}}, {"fills", std::vector<float>{fill}}};
}

TEST(FusedAttention, WeighsValuesByShares) {
  expect_near(result_of("FusedAttention", {kRows, kKeys, kValues}), {2, 1}, {2.575210F, 1.042309F});
  expect_near(result_of("FusedAttention", {kRows, kKeys, kValues}, {{"scale", 0.5F}}), {2, 1},
              {2.320157F, 1.289757F});
}

TEST(FusedAttention, MasksScores) {
  const Tensor second = Tensor::of<bool>({3}, {false, true, false});
  expect_near(
      result_of("FusedAttention", {kRows, kKeys, kValues, second}, masked_by("keep", -1e9F)),
      {2, 1}, {2, 2});
  expect_near(
      result_of("FusedAttention", {kRows, kKeys, kValues, second}, masked_by("drop", -1e9F)),
      {2, 1}, {2.761594F, 1.035972F});
  expect_near(result_of("FusedAttention", {kRows, kKeys, kValues, floats({2, 1}, {5, 7})},
                        masked_by("add", 0)),
              {2, 1}, {2.575210F, 1.042309F});
}

TEST(FusedAttention, HidesKeysByTheirPlaces) {
  const Attributes causal = {{"after", std::int64_t{0}}, {"skips_hidden", std::int64_t{1}}};
  expect_near(result_of("FusedAttention", {kRows, kKeys, kValues}, causal), {2, 1}, {1, 1.006693F});
  const Attributes last = {
      {"offset", std::int64_t{1}}, {"before", std::int64_t{0}}, {"skips_hidden", std::int64_t{1}}};
  expect_near(result_of("FusedAttention", {kRows, kKeys, kValues}, last), {2, 1}, {2.731059F, 3});
}

TEST(FusedAttention, TakesKeysByRows) {
  const Tensor keys = floats({3, 2}, {1, 4, 2, -1, 3, 0});
  expect_near(
      result_of("FusedAttention", {kRows, keys, kValues}, {{"keys_by_rows", std::int64_t{1}}}),
      {2, 1}, {2.575210F, 1.042309F});
}

TEST(FusedAttention, CapsScores) {
  // 2 tanh(s / 2) of (1, 2, 3) and (4, -1, 0)
  expect_near(result_of("FusedAttention", {kRows, kKeys, kValues}, {{"cap", 2.0F}}), {2, 1},
              {2.271754F, 1.289719F});
}

TEST(FusedAttention, SkipsWhatIsHidden) {
  const Tensor sees = Tensor::of<bool>({2, 3}, {true, false, true, false, false, false});
  const Tensor values = floats({3, 1}, {1, NAN, 3});
  Attributes attributes = masked_by("keep", -INFINITY);
  attributes.set("skips_hidden", std::int64_t{1});
  expect_near(result_of("FusedAttention", {kRows, kKeys, values, sees}, attributes), {2, 1},
              {2.761594F, 0});
}

TEST(FusedAttention, RefusesWhatDoesNotFit) {
  const std::string of = "bad model or input: FusedAttention of f32[2,2], f32[2,3] and f32[3,1] ";
  EXPECT_EQ(complaint_of("FusedAttention", {kRows, kKeys, kRows}),
            "bad model or input: FusedAttention of f32[2,2], f32[2,3] and f32[2,2] does not fit "
            "together");
  EXPECT_EQ(complaint_of("FusedAttention", {kRows, kKeys, kValues, kRows}),
            of + "has 1 masks of 0 kinds with 0 fills");
  EXPECT_EQ(complaint_of("FusedAttention", {kRows, kKeys, kValues, kValues}, masked_by("hide", 0)),
            of + "has a mask of kind 'hide'");
  EXPECT_EQ(complaint_of("FusedAttention", {kRows, kKeys, kValues}, {{"before", std::int64_t{6}}}),
            of + "has before=6");
  EXPECT_EQ(complaint_of("FusedAttention", {kRows, kKeys, kValues}, {{"before", std::int64_t{1}}}),
            of + "has a window, but does not skip what that hides");
  EXPECT_EQ(complaint_of("FusedAttention", {kRows, kKeys, kValues, floats({3}, {0, 0, 0})},
                         masked_by("keep", 0)),
            of + "has a mask f32[3] of kind 'keep'");
  EXPECT_EQ(complaint_of("FusedAttention", {floats({2}, {0, 0}), kKeys, kValues}),
            "bad model or input: FusedAttention of f32[2], f32[2,3] and f32[3,1] needs matrices");
}

}  // namespace
}  // namespace braid
