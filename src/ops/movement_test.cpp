#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ops/catalog.h"
#include "ops/testing/calls.h"

namespace braid {
namespace {

/// 0, 1, 2, …
Tensor counted(const Dims& dims) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(element_count(dims)));
  std::iota(elements.begin(), elements.end(), 0);
  return Tensor::of<std::int64_t>(dims, std::span<const std::int64_t>(elements));
}

TEST(Slice, TakesRanges) {
  const Tensor x = integers({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_elements<std::int64_t>(
      result_of("Slice", {x, list({1, 0}), list({2, 3}), list({0, 1}), list({1, 2})}), {1, 2},
      {5, 7});
  expect_elements<std::int64_t>(result_of("Slice", {x, list({0, 1}), list({-1, 1000})}), {1, 3},
                                {2, 3, 4});
  expect_elements<std::int64_t>(
      result_of("Slice", {x, list({-1}), list({kLowest}), list({-1}), list({-1})}), {2, 4},
      {4, 3, 2, 1, 8, 7, 6, 5});
  expect_elements<std::int64_t>(
      result_of("Slice", {x, list({0}), list({kHighest}), Tensor{}, list({kHighest})}), {1, 4},
      {1, 2, 3, 4});
  expect_elements<std::int64_t>(
      result_of("Slice", {x, list({3}), list({0}), list({1}), list({kLowest})}), {2, 1}, {4, 8});
  expect_elements<std::int64_t>(result_of("Slice", {x, list({3}), list({1}), list({1})}), {2, 0},
                                {});
  expect_elements<std::int64_t>(
      result_of("Slice", {integers({0}, {}), list({-1}), list({0}), list({0}), list({-1})}), {0},
      {});
}

TEST(Slice, Complaints) {
  const Tensor x = counted({4});
  EXPECT_EQ(complaint_of("Slice", {x, list({0}), list({2}), list({0}), list({0})}),
            "bad model or input: Slice along axis 0 has step 0");
  EXPECT_EQ(complaint_of("Slice", {x, list({0}), list({2}), list({1})}),
            "bad model or input: axis 1 of Slice is outside a tensor of rank 1");
  EXPECT_EQ(
      complaint_of("Slice", {x, list({0}), list({2, 3})}),
      "bad model or input: Slice has 1 starts, 2 ends, 1 axes and 1 steps, expected equal numbers");
  EXPECT_EQ(complaint_of("Slice", {x, list({0, 0}), list({1, 1}), list({0, -1})}),
            "bad model or input: axis 0 of Slice is named twice");
}

RC_GTEST_PROP(Slice, EqualsAWalkAlongTheAxis, ()) {
  const auto length = *rc::gen::inRange<std::int64_t>(0, 7);
  const auto start = *rc::gen::inRange<std::int64_t>(-9, 10);
  const auto end = *rc::gen::inRange<std::int64_t>(-9, 10);
  const auto step = *rc::gen::element<std::int64_t>(-4, -3, -2, -1, 1, 2, 3, 4);
  std::vector<std::int64_t> expected;
  if (length > 0) {
    std::int64_t at = start < 0 ? start + length : start;
    std::int64_t stop = end < 0 ? end + length : end;
    at = step > 0 ? std::max<std::int64_t>(at, 0) : std::clamp<std::int64_t>(at, 0, length - 1);
    stop = std::clamp<std::int64_t>(stop, step > 0 ? 0 : -1, length);
    for (; step > 0 ? at < stop : at > stop; at += step) expected.push_back(at);
  }
  const Tensor y = result_of(
      "Slice", {counted({length, 2}), list({start}), list({end}), list({0}), list({step})});
  RC_ASSERT(y.dims() == Dims({static_cast<std::int64_t>(expected.size()), 2}));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    RC_ASSERT(y.data<std::int64_t>()[2 * i] == 2 * expected[i]);
    RC_ASSERT(y.data<std::int64_t>()[2 * i + 1] == 2 * expected[i] + 1);
  }
}

TEST(Transpose, Permutes) {
  const Tensor x = counted({2, 3});
  expect_elements<std::int64_t>(result_of("Transpose", {x}), {3, 2}, {0, 3, 1, 4, 2, 5});
  const Tensor y =
      result_of("Transpose", {counted({2, 3, 4})}, {{"perm", std::vector<std::int64_t>{1, 0, 2}}});
  EXPECT_EQ(y.dims(), Dims({3, 2, 4}));
  EXPECT_EQ(y.data<std::int64_t>()[4], 12);
  expect_elements<std::int64_t>(result_of("Transpose", {integers({}, {5})}), {}, {5});
  EXPECT_EQ(complaint_of("Transpose", {x}, {{"perm", std::vector<std::int64_t>{0}}}),
            "bad model or input: perm=[0] of Transpose does not fit a tensor of rank 2");
  EXPECT_EQ(complaint_of("Transpose", {x}, {{"perm", std::vector<std::int64_t>{0, 0}}}),
            "bad model or input: axis 0 of Transpose is named twice");
}

RC_GTEST_PROP(Transpose, TheInversePermutationUndoesIt, ()) {
  const auto rank = *rc::gen::inRange<std::size_t>(0, 5);
  const auto dims = *rc::gen::container<Dims>(rank, rc::gen::inRange<std::int64_t>(0, 5));
  std::vector<std::int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = rank; i > 1; --i)
    std::swap(perm[i - 1], perm[*rc::gen::inRange<std::size_t>(0, i)]);
  std::vector<std::int64_t> inverse(rank);
  for (std::size_t i = 0; i < rank; ++i)
    inverse[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  const Tensor x = counted(dims);
  const Tensor y = result_of("Transpose", {x}, {{"perm", perm}});
  for (std::size_t i = 0; i < rank; ++i)
    RC_ASSERT(y.dims()[i] == dims[static_cast<std::size_t>(perm[i])]);
  RC_ASSERT(identical(result_of("Transpose", {y}, {{"perm", inverse}}), x));
}

TEST(Expand, BroadcastsBothWays) {
  const Tensor x = integers({3, 1}, {1, 2, 3});
  expect_elements<std::int64_t>(result_of("Expand", {x, list({2})}), {3, 2}, {1, 1, 2, 2, 3, 3});
  expect_elements<std::int64_t>(result_of("Expand", {x, list({2, 1, 1})}), {2, 3, 1},
                                {1, 2, 3, 1, 2, 3});
  expect_elements<std::int64_t>(result_of("Expand", {x, list({3, 0})}), {3, 0}, {});
  EXPECT_EQ(complaint_of("Expand", {x, list({2, 2})}),
            "bad model or input: shapes [3,1] and [2,2] of Expand do not broadcast");
  EXPECT_EQ(complaint_of("Expand", {x, list({3, -2})}),
            "bad model or input: a shape has the negative dimension -2");
}

TEST(Tile, Repeats) {
  const Tensor x = integers({2, 2}, {1, 2, 3, 4});
  expect_elements<std::int64_t>(result_of("Tile", {x, list({1, 2})}), {2, 4},
                                {1, 2, 1, 2, 3, 4, 3, 4});
  expect_elements<std::int64_t>(result_of("Tile", {x, list({2, 1})}), {4, 2},
                                {1, 2, 3, 4, 1, 2, 3, 4});
  expect_elements<std::int64_t>(result_of("Tile", {x, list({0, 1})}), {0, 2}, {});
  expect_elements<std::int64_t>(result_of("Tile", {integers({}, {1}), list({})}), {}, {1});
  EXPECT_EQ(complaint_of("Tile", {x, list({2})}),
            "bad model or input: Tile repeats a tensor of rank 2 by [2]");
  EXPECT_EQ(complaint_of("Tile", {x, list({-1, 1})}),
            "bad model or input: Tile repeats axis 0 -1 times");
  EXPECT_EQ(complaint_of("Tile", {x, list({kHighest, 1})}).substr(0, 14), "quota exceeded");
}

TEST(Pad, Constant) {
  const Tensor x = integers({2, 2}, {1, 2, 3, 4});
  expect_elements<std::int64_t>(result_of("Pad", {x, list({0, 1, 1, 0}), integers({}, {9})}),
                                {3, 3}, {9, 1, 2, 9, 3, 4, 9, 9, 9});
  expect_elements<std::int64_t>(result_of("Pad", {x, list({0, -1, 0, 1})}), {2, 2}, {2, 0, 4, 0});
  expect_elements<std::int64_t>(result_of("Pad", {x, list({1, 0}), Tensor{}, list({-2})}), {3, 2},
                                {0, 0, 1, 2, 3, 4});
  expect_elements<std::int64_t>(
      result_of("Pad", {integers({0}, {}), list({1, 1}), integers({}, {5})}), {2}, {5, 5});
  expect_elements<std::int64_t>(result_of("Pad", {x, list({-1, 0, -1, 0})}), {0, 2}, {});
  expect_elements<std::int64_t>(result_of("Pad", {integers({}, {3}), list({})}), {}, {3});
}

TEST(Pad, ModesThatRepeatTheInput) {
  const Tensor x = integers({3}, {1, 2, 3});
  expect_elements<std::int64_t>(result_of("Pad", {x, list({2, 2})}, {{"mode", word("reflect")}}),
                                {7}, {3, 2, 1, 2, 3, 2, 1});
  expect_elements<std::int64_t>(result_of("Pad", {x, list({5, 0})}, {{"mode", word("reflect")}}),
                                {8}, {2, 1, 2, 3, 2, 1, 2, 3});
  expect_elements<std::int64_t>(result_of("Pad", {x, list({2, 1})}, {{"mode", word("edge")}}), {6},
                                {1, 1, 1, 2, 3, 3});
  expect_elements<std::int64_t>(result_of("Pad", {x, list({4, 1})}, {{"mode", word("wrap")}}), {8},
                                {3, 1, 2, 3, 1, 2, 3, 1});
  expect_elements<std::int64_t>(result_of("Pad", {x, list({-1, 2})}, {{"mode", word("edge")}}), {4},
                                {2, 3, 3, 3});
  expect_elements<std::int64_t>(
      result_of("Pad", {list({7}), list({1, 2})}, {{"mode", word("reflect")}}), {4}, {7, 7, 7, 7});
}

TEST(Pad, Complaints) {
  const Tensor x = integers({3}, {1, 2, 3});
  EXPECT_EQ(complaint_of("Pad", {x, list({1})}),
            "bad model or input: Pad has 1 pads for 1 axes, expected two for each");
  EXPECT_EQ(complaint_of("Pad", {x, list({-2, -2})}),
            "bad model or input: Pad by -2 and -2 removes more than an axis of length 3 has");
  EXPECT_EQ(complaint_of("Pad", {x, list({kLowest, 0})}),
            "bad model or input: Pad by -9223372036854775808 and 0 removes more than an axis of "
            "length 3 has");
  EXPECT_EQ(complaint_of("Pad", {x, list({kHighest, kHighest})}).substr(0, 14), "quota exceeded");
  EXPECT_EQ(complaint_of("Pad", {x, list({1, 1})}, {{"mode", word("mirror")}}),
            "bad model or input: attribute 'mode' of Pad is 'mirror', expected constant, reflect, "
            "edge or wrap");
  EXPECT_EQ(complaint_of("Pad", {integers({0}, {}), list({1, 1})}, {{"mode", word("edge")}}),
            "bad model or input: Pad has nothing to repeat along axis 0 of shape [0]");
  EXPECT_EQ(
      complaint_of("Pad", {x, list({1, 1}), floats({}, {1})}),
      "bad model or input: the value of Pad has type f32[], expected one element of type i64");
}

TEST(Gather, TakesSlices) {
  const Tensor x = integers({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_elements<std::int64_t>(result_of("Gather", {x, list({2, -3})}), {2, 2}, {5, 6, 1, 2});
  expect_elements<std::int64_t>(result_of("Gather", {x, integers({}, {1})}, {{"axis", whole(1)}}),
                                {3}, {2, 4, 6});
  expect_elements<std::int64_t>(
      result_of("Gather", {x, Tensor::of<std::int32_t>({1, 2}, {0, 1})}, {{"axis", whole(-1)}}),
      {3, 1, 2}, {1, 2, 3, 4, 5, 6});
  expect_elements<std::int64_t>(result_of("Gather", {x, list({})}), {0, 2}, {});
}

TEST(Gather, Complaints) {
  const Tensor x = counted({3, 2});
  EXPECT_EQ(complaint_of("Gather", {x, list({3})}),
            "bad model or input: index 3 of Gather is outside an axis of length 3");
  EXPECT_EQ(
      complaint_of("Gather", {x, list({kLowest})}),
      "bad model or input: index -9223372036854775808 of Gather is outside an axis of length 3");
  EXPECT_EQ(complaint_of("Gather", {x, floats({1}, {0})}),
            "bad model or input: the indices of Gather have type f32, expected i64 or i32");
  EXPECT_EQ(complaint_of("Gather", {integers({}, {1}), list({0})}),
            "bad model or input: axis 0 of Gather is outside a tensor of rank 0");
}

TEST(MovementWork, ReadsOnlyWhatIsTaken) {
  const Tensor x = Tensor::zeros({ElementType::F32, {100, 4}});
  const Tensor indices = list({1, 2});
  const Attributes none;
  OpCall call;
  call.op = "Gather";
  call.attributes = &none;
  call.inputs = {&x.type(), &indices.type()};
  call.outputs = {{ElementType::F32, {2, 4}}};
  EXPECT_EQ(work(op_def("Gather"), call).bytes_read, 2 * 4 * 4 + 2 * 8);
}

}  // namespace
}  // namespace braid
