#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

const Tensor kSignal = floats({1, 4, 1}, {1, 2, 3, 4});

TEST(DFT, TransformsRealSignals) {
  expect_near(result_of("DFT", {kSignal}), {1, 4, 2}, {10, 0, -2, 2, -2, 0, -2, -2}, 1e-5F);
  expect_near(result_of("DFT", {kSignal}, {{"onesided", std::int64_t{1}}}), {1, 3, 2},
              {10, 0, -2, 2, -2, 0}, 1e-5F);
}

TEST(DFT, ComesBack) {
  const Attributes inverse = {{"inverse", std::int64_t{1}}};
  expect_near(result_of("DFT", {result_of("DFT", {kSignal})}, inverse), {1, 4, 2},
              {1, 0, 2, 0, 3, 0, 4, 0});
  const Attributes onesided = {{"onesided", std::int64_t{1}}};
  const Attributes both = {{"onesided", std::int64_t{1}}, {"inverse", std::int64_t{1}}};
  expect_near(result_of("DFT", {result_of("DFT", {kSignal}, onesided)}, both), {1, 4, 1},
              {1, 2, 3, 4});
}

TEST(DFT, CutsAndFillsToItsLength) {
  expect_near(result_of("DFT", {kSignal, list({2}).reshaped({})}), {1, 2, 2}, {3, 0, -1, 0});
  EXPECT_EQ(result_of("DFT", {kSignal, list({6}).reshaped({})}).dims(), (Dims{1, 6, 2}));
  EXPECT_EQ(complaint_of("DFT", {kSignal, list({0}).reshaped({})}),
            "bad model or input: DFT has the length 0");
}

TEST(STFT, TransformsWindowedFrames) {
  expect_near(result_of("STFT", {floats({1, 5, 1}, {1, 2, 3, 4, 5}), list({2}).reshaped({}),
                                 floats({2}, {1, 2})}),
              {1, 2, 2, 2}, {5, 0, -3, 0, 11, 0, -5, 0});
}

TEST(STFT, TakesRealSignalsWithoutAnAxisOfParts) {
  expect_near(result_of("STFT", {floats({1, 5}, {1, 2, 3, 4, 5}), list({2}).reshaped({}),
                                 floats({2}, {1, 2})}),
              {1, 2, 2, 2}, {5, 0, -3, 0, 11, 0, -5, 0});
}

TEST(Windows, HaveTheirUsualValues) {
  const Tensor four = list({4}).reshaped({});
  expect_near(result_of("HannWindow", {four}), {4}, {0, 0.5F, 1, 0.5F});
  expect_near(result_of("HammingWindow", {four}), {4}, {0.08695652F, 0.5434783F, 1, 0.5434783F});
  expect_near(result_of("BlackmanWindow", {four}, {{"periodic", std::int64_t{0}}}), {4},
              {0, 0.63F, 0.63F, 0});
}

}  // namespace
}  // namespace braid
