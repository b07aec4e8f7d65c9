#include "ops/einsum.h"

#include <gtest/gtest.h>

#include "ops/testing/calls.h"

namespace braid {
namespace {

Tensor einsum(std::string equation, const std::vector<Tensor>& inputs) {
  return result_of("Einsum", inputs, {{"equation", std::move(equation)}});
}

const Tensor kA = integers({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor kB = integers({3, 2}, {1, 0, 0, 1, 2, 2});

TEST(Einsum, MultipliesAndTransposes) {
  expect_elements<std::int64_t>(einsum("ij,jk->ik", {kA, kB}), {2, 2}, {7, 8, 16, 17});
  expect_elements<std::int64_t>(einsum("ij,jk->ki", {kA, kB}), {2, 2}, {7, 16, 8, 17});
  expect_elements<std::int64_t>(einsum("ij->ji", {kA}), {3, 2}, {1, 4, 2, 5, 3, 6});
}

TEST(Einsum, SumsLabelsThatTheOutputLacks) {
  expect_elements<std::int64_t>(einsum("ij->", {kA}), {}, {21});
  expect_elements<std::int64_t>(einsum("ij->j", {kA}), {3}, {5, 7, 9});
}

TEST(Einsum, FindsTheOutputByItself) {
  expect_elements<std::int64_t>(einsum("ij,jk", {kA, kB}), {2, 2}, {7, 8, 16, 17});
  expect_elements<std::int64_t>(einsum("ba", {kA}), {3, 2}, {1, 4, 2, 5, 3, 6});
}

TEST(Einsum, WalksDiagonals) {
  const Tensor square = integers({2, 2}, {1, 2, 3, 4});
  expect_elements<std::int64_t>(einsum("ii->i", {square}), {2}, {1, 4});
  expect_elements<std::int64_t>(einsum("ii", {square}), {}, {5});
}

TEST(Einsum, BroadcastsUnderTheEllipsis) {
  const Tensor batch = integers({2, 1, 2}, {1, 2, 3, 4});
  const Tensor vector = integers({2}, {10, 1});
  expect_elements<std::int64_t>(einsum("...i,i->...", {batch, vector}), {2, 1}, {12, 34});
  expect_elements<std::int64_t>(
      einsum("...i,...i->...i", {batch, integers({3, 2}, {1, 1, 2, 2, 3, 3})}), {2, 3, 2},
      {1, 2, 2, 4, 3, 6, 3, 4, 6, 8, 9, 12});
}

TEST(Einsum, TakesMoreThanTwoOperands) {
  const Tensor v = integers({2}, {1, 2});
  expect_elements<std::int64_t>(einsum("i,j,i->j", {v, v, v}), {2}, {5, 10});
}

TEST(Einsum, RefusesBadEquations) {
  const auto complaint = [](std::string equation) {
    return complaint_of("Einsum", {kA, kB}, {{"equation", std::move(equation)}});
  };
  EXPECT_EQ(complaint("ij->i"),
            "bad model or input: equation 'ij->i' of Einsum has 1 terms for 2 inputs");
  EXPECT_EQ(complaint("ij,ij->i"),
            "bad model or input: equation 'ij,ij->i' of Einsum meets extents 2 and 3 under one "
            "label");
  EXPECT_EQ(complaint("ij,jk->iz"),
            "bad model or input: equation 'ij,jk->iz' of Einsum has an output axis 'z' that no "
            "input has");
  EXPECT_EQ(complaint("ij,j->i"),
            "bad model or input: equation 'ij,j->i' of Einsum names 1 axes of input 1, which has "
            "shape [3,2]");
  EXPECT_EQ(complaint("ij,j1->i"),
            "bad model or input: equation 'ij,j1->i' of Einsum has an unexpected '1' at position "
            "4");
}

}  // namespace
}  // namespace braid
