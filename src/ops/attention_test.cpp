#include "ops/attention.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

const Tensor kQ = floats({1, 1, 2, 2}, {1, 0, 0, 1});
const Tensor kK = floats({1, 1, 3, 2}, {1, 2, 3, 4, -1, 0});
const Tensor kV = floats({1, 1, 3, 1}, {1, 2, 3});

TEST(Attention, HidesTheFutureIfCausal) {
  const auto results = evaluate(
      "Attention", {{"is_causal", std::int64_t{1}}, {"qk_matmul_output_mode", std::int64_t{2}}},
      std::vector<Tensor>{kQ, kK, kV}, 4);
  expect_near(results[0], {1, 1, 2, 1}, {1, 1.80443F});
  EXPECT_TRUE(identical(results[1], kK));
  EXPECT_TRUE(identical(results[2], kV));
  const auto scores = results[3].data<float>();
  EXPECT_NEAR(scores[0], 0.7071068F, 1e-6);
  EXPECT_EQ(scores[1], -INFINITY);
  EXPECT_NEAR(scores[4], 2.828427F, 1e-6);
}

TEST(Attention, GivesZerosWhereEverythingIsHidden) {
  const Tensor mask = Tensor::of<bool>({2, 3}, {true, false, true, false, false, false});
  expect_near(result_of("Attention", {kQ, kK, kV, mask}, {{"scale", 1.0F}}), {1, 1, 2, 1},
              {1.238406F, 0});
}

TEST(Attention, HidesWhatTheMaskDoesNotReach) {
  const Tensor half = Tensor::of<bool>({2, 2}, {true, false, false, true});
  expect_near(result_of("Attention", {kQ, kK, kV, half}), {1, 1, 2, 1}, {1, 2});
  const Tensor none = Tensor::of<bool>({2, 0}, {});
  expect_near(result_of("Attention", {kQ, kK, kV, none}), {1, 1, 2, 1}, {0, 0});
}

TEST(Attention, FindsHeadsInTheLastAxis) {
  // Two heads: each query attends to a single key, so the values come back.
  const Tensor q = floats({1, 1, 4}, {1, 2, 3, 4});
  const Tensor v = floats({1, 1, 2}, {5, 6});
  const Attributes heads = {{"q_num_heads", std::int64_t{2}}, {"kv_num_heads", std::int64_t{2}}};
  expect_near(result_of("Attention", {q, q, v}, heads), {1, 1, 2}, {5, 6});
}

TEST(Attention, SharesKeysAmongHeadsAndContinuesACache) {
  const Tensor q = floats({1, 2, 1, 1}, {0, 0});
  const Tensor key = floats({1, 1, 1, 1}, {1});
  const Tensor value = floats({1, 1, 1, 1}, {10});
  const Tensor past = floats({1, 1, 1, 1}, {30});
  const auto results =
      evaluate("Attention", {}, std::vector<Tensor>{q, key, value, Tensor{}, key, past}, 3);
  expect_near(results[0], {1, 2, 1, 1}, {20, 20});
  expect_near(results[2], {1, 1, 2, 1}, {30, 10});
}

TEST(Attention, RefusesWhatDoesNotFit) {
  EXPECT_EQ(complaint_of("Attention", {kQ, kK, kQ}),
            "bad model or input: Attention of f32[1,1,2,2], f32[1,1,3,2] and f32[1,1,2,2] does not "
            "fit together");
  EXPECT_EQ(complaint_of("Attention", {kQ, kK, kV, floats({1, 4}, {0, 0, 0, 0})}),
            "bad model or input: Attention of f32[1,1,2,2], f32[1,1,3,2] and f32[1,1,3,1] does not "
            "fit the mask [1,4], expected one that broadcasts to [1,1,2,3]");
}

TEST(RotaryEmbedding, RotatesPairs) {
  expect_near(result_of("RotaryEmbedding",
                        {floats({1, 1, 1, 4}, {1, 2, 3, 4}), floats({1, 1, 2}, {0.6F, 0.8F}),
                         floats({1, 1, 2}, {0.8F, 0.6F})}),
              {1, 1, 1, 4}, {-1.8F, -0.8F, 2.6F, 4.4F});
}

TEST(RotaryEmbedding, LooksUpPositions) {
  const std::vector<Tensor> inputs = {floats({1, 1, 4}, {1, 2, 3, 4}), floats({2, 1}, {0, 0.6F}),
                                      floats({2, 1}, {0, 0.8F}), integers({1, 1}, {1})};
  const Attributes attributes = {{"interleaved", std::int64_t{1}},
                                 {"num_heads", std::int64_t{1}},
                                 {"rotary_embedding_dim", std::int64_t{2}}};
  expect_near(result_of("RotaryEmbedding", inputs, attributes), {1, 1, 4}, {-1, 2, 3, 4});
  auto outside = inputs;
  outside[3] = integers({1, 1}, {2});
  EXPECT_EQ(complaint_of("RotaryEmbedding", outside, attributes),
            "bad model or input: RotaryEmbedding of f32[1,1,4] has the position 2, but the cache "
            "has 2");
}

}  // namespace
}  // namespace braid
