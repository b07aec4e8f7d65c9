#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ops/testing/calls.h"
#include "tensor/element.h"

namespace braid {
namespace {

TEST(GatherElements, PicksAlongAnAxis) {
  const Tensor x = integers({2, 2}, {1, 2, 3, 4});
  expect_elements<std::int64_t>(
      result_of("GatherElements", {x, integers({2, 2}, {0, 0, 1, 0})}, {{"axis", whole(1)}}),
      {2, 2}, {1, 1, 4, 3});
  const Tensor y = integers({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  expect_elements<std::int64_t>(
      result_of("GatherElements", {y, integers({2, 3}, {1, 2, 0, -1, 0, 0})}), {2, 3},
      {4, 8, 3, 7, 2, 3});
  expect_elements<std::int64_t>(result_of("GatherElements", {y, integers({1, 2}, {2, 1})}), {1, 2},
                                {7, 5});
  expect_elements<std::int64_t>(result_of("GatherElements", {y, integers({0, 3}, {})}), {0, 3}, {});
}

TEST(GatherElements, Complaints) {
  const Tensor x = integers({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(complaint_of("GatherElements", {x, integers({1, 2}, {0, 2})}),
            "bad model or input: index 2 of GatherElements is outside an axis of length 2");
  EXPECT_EQ(complaint_of("GatherElements", {x, integers({1, 3}, {0, 0, 0})}),
            "bad model or input: indices of shape [1,3] do not fit data of shape [2,2] in "
            "GatherElements along axis 0");
  EXPECT_EQ(complaint_of("GatherElements", {x, list({0})}),
            "bad model or input: indices of shape [1] do not fit data of shape [2,2] in "
            "GatherElements along axis 0");
}

TEST(ScatterElements, Writes) {
  const Tensor x = integers({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0});
  const Tensor indices = integers({2, 3}, {1, 0, 2, 0, 2, 1});
  const Tensor updates = integers({2, 3}, {10, 11, 12, 20, 21, 22});
  expect_elements<std::int64_t>(result_of("ScatterElements", {x, indices, updates}), {3, 3},
                                {20, 11, 0, 10, 0, 22, 0, 21, 12});
  expect_elements<std::int64_t>(result_of("ScatterElements",
                                          {integers({1, 5}, {1, 2, 3, 4, 5}),
                                           integers({1, 2}, {1, -2}), integers({1, 2}, {8, 9})},
                                          {{"axis", whole(1)}}),
                                {1, 5}, {1, 8, 3, 9, 5});
}

TEST(ScatterElements, Reduces) {
  const Tensor x = integers({3}, {1, 5, 3});
  const Tensor indices = list({1, 1, 2});
  const Tensor updates = integers({3}, {2, 7, 2});
  const auto with = [&](const char* reduction) {
    return result_of("ScatterElements", {x, indices, updates}, {{"reduction", word(reduction)}});
  };
  expect_elements<std::int64_t>(with("add"), {3}, {1, 14, 5});
  expect_elements<std::int64_t>(with("mul"), {3}, {1, 70, 6});
  expect_elements<std::int64_t>(with("max"), {3}, {1, 7, 3});
  expect_elements<std::int64_t>(with("min"), {3}, {1, 2, 2});
  expect_elements<std::int64_t>(
      result_of("ScatterElements", {list({kHighest}), list({0}), list({1})},
                {{"reduction", word("add")}}),
      {1}, {kLowest});
  expect_elements<bool>(result_of("ScatterElements",
                                  {Tensor::of<bool>({2}, {true, false}), list({0, 1}),
                                   Tensor::of<bool>({2}, {false, true})},
                                  {{"reduction", word("add")}}),
                        {2}, {true, true});
}

TEST(ScatterElements, Complaints) {
  const Tensor x = integers({3}, {1, 5, 3});
  EXPECT_EQ(complaint_of("ScatterElements", {x, list({0}), list({1, 2})}),
            "bad model or input: the updates of ScatterElements have type i64[2], expected i64[1]");
  EXPECT_EQ(
      complaint_of("ScatterElements", {x, list({0}), list({1})}, {{"reduction", word("sum")}}),
      "bad model or input: attribute 'reduction' of ScatterElements is 'sum', expected none, add, "
      "mul, max or min");
  EXPECT_EQ(complaint_of("ScatterElements", {x, list({3}), list({1})}),
            "bad model or input: index 3 of ScatterElements is outside an axis of length 3");
}

TEST(GatherND, PicksElementsAndSlices) {
  const Tensor x = integers({2, 2}, {0, 1, 2, 3});
  expect_elements<std::int64_t>(result_of("GatherND", {x, integers({2, 2}, {0, 0, 1, -1})}), {2},
                                {0, 3});
  expect_elements<std::int64_t>(result_of("GatherND", {x, integers({2, 1}, {1, 0})}), {2, 2},
                                {2, 3, 0, 1});
  const Tensor y = integers({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  expect_elements<std::int64_t>(
      result_of("GatherND", {y, integers({2, 1}, {1, 0})}, {{"batch_dims", whole(1)}}), {2, 2},
      {2, 3, 4, 5});
  expect_elements<std::int64_t>(result_of("GatherND", {y, integers({2, 1, 2}, {0, 1, 1, 0})}),
                                {2, 1, 2}, {2, 3, 4, 5});
  expect_elements<std::int64_t>(result_of("GatherND", {y, integers({0, 3}, {})}), {0}, {});
}

TEST(GatherND, Complaints) {
  const Tensor x = integers({2, 2}, {0, 1, 2, 3});
  EXPECT_EQ(complaint_of("GatherND", {x, integers({1, 3}, {0, 0, 0})}),
            "bad model or input: index tuples of length 3 point into data of shape [2,2] with 0 "
            "batch axes in GatherND");
  EXPECT_EQ(complaint_of("GatherND", {x, integers({1, 1}, {0})}, {{"batch_dims", whole(1)}}),
            "bad model or input: data of shape [2,2] and indices of shape [1,1] do not share 1 "
            "batch axes in GatherND");
  EXPECT_EQ(complaint_of("GatherND", {x, integers({1, 2}, {0, 2})}),
            "bad model or input: index 2 of GatherND is outside an axis of length 2");
  EXPECT_EQ(
      complaint_of("GatherND", {x, list({0})}, {{"batch_dims", whole(kLowest)}}).substr(0, 18),
      "bad model or input");
}

TEST(ScatterND, WritesAndReduces) {
  const Tensor x = integers({8}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_elements<std::int64_t>(
      result_of("ScatterND", {x, integers({4, 1}, {4, 3, 1, -1}), integers({4}, {9, 10, 11, 12})}),
      {8}, {1, 11, 3, 10, 9, 6, 7, 12});
  expect_elements<std::int64_t>(result_of("ScatterND",
                                          {integers({2, 2}, {1, 2, 3, 4}), integers({2, 1}, {0, 0}),
                                           integers({2, 2}, {5, 1, 2, 9})},
                                          {{"reduction", word("add")}}),
                                {2, 2}, {8, 12, 3, 4});
  EXPECT_EQ(complaint_of("ScatterND", {x, integers({1, 1}, {0}), integers({2}, {1, 2})}),
            "bad model or input: the updates of ScatterND have type i64[2], expected i64[1]");
  EXPECT_EQ(complaint_of("ScatterND", {x, integers({1, 1}, {-9}), integers({1}, {1})}),
            "bad model or input: index -9 of ScatterND is outside an axis of length 8");
}

RC_GTEST_PROP(ScatterND, GatherNDReadsWhatItWrote, ()) {
  const auto dims = *rc::gen::container<Dims>(3, rc::gen::inRange<std::int64_t>(1, 4));
  const auto length = *rc::gen::inRange<std::int64_t>(1, 4);
  std::vector<std::int64_t> tuple;
  for (std::int64_t i = 0; i < length; ++i)
    tuple.push_back(*rc::gen::inRange<std::int64_t>(-dims[static_cast<std::size_t>(i)],
                                                    dims[static_cast<std::size_t>(i)]));
  const Tensor indices =
      Tensor::of<std::int64_t>({1, length}, std::span<const std::int64_t>(tuple));
  const Tensor x = Tensor::zeros({ElementType::I64, dims});
  const Tensor before = result_of("GatherND", {x, indices});
  const Tensor update = result_of("Add", {before, integers({}, {7})});
  const Tensor y = result_of("ScatterND", {x, indices, update});
  RC_ASSERT(identical(result_of("GatherND", {y, indices}), update));
  RC_ASSERT(result_of("ReduceSum", {y}).data<std::int64_t>()[0] == 7 * update.elements());
}

TEST(TensorScatter, WritesIntoTheCache) {
  const Tensor cache = Tensor::zeros({ElementType::I64, {2, 3, 1}});
  const Tensor update = integers({2, 2, 1}, {1, 2, 3, 4});
  expect_elements<std::int64_t>(result_of("TensorScatter", {cache, update, list({1, 0})}),
                                {2, 3, 1}, {0, 1, 2, 3, 4, 0});
  expect_elements<std::int64_t>(
      result_of("TensorScatter", {cache, update, list({2, 4})}, {{"mode", word("circular")}}),
      {2, 3, 1}, {2, 0, 1, 0, 3, 4});
  EXPECT_EQ(complaint_of("TensorScatter", {cache, update, list({2, 0})}),
            "bad model or input: TensorScatter writes 2 entries at 2 of a cache of length 3");
  EXPECT_EQ(complaint_of("TensorScatter", {cache, update}, {{"axis", whole(0)}}),
            "bad model or input: axis 0 of TensorScatter is the batch, expected another");
  EXPECT_EQ(complaint_of("TensorScatter", {cache, integers({2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8})}),
            "bad model or input: an update of type i64[2,4,1] does not fit a cache of type "
            "i64[2,3,1] along axis 1 of TensorScatter");
}

TEST(Trilu, KeepsATriangle) {
  const Tensor x = integers({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_elements<std::int64_t>(result_of("Trilu", {x}), {2, 3}, {1, 2, 3, 0, 5, 6});
  expect_elements<std::int64_t>(result_of("Trilu", {x, integers({}, {1})}), {2, 3},
                                {0, 2, 3, 0, 0, 6});
  expect_elements<std::int64_t>(result_of("Trilu", {x}, {{"upper", whole(0)}}), {2, 3},
                                {1, 0, 0, 4, 5, 0});
  expect_elements<std::int64_t>(
      result_of("Trilu", {x, integers({}, {kHighest})}, {{"upper", whole(0)}}), {2, 3},
      {1, 2, 3, 4, 5, 6});
  expect_elements<std::int64_t>(
      result_of("Trilu", {x, integers({}, {kLowest})}, {{"upper", whole(0)}}), {2, 3},
      {0, 0, 0, 0, 0, 0});
  expect_elements<std::int64_t>(
      result_of("Trilu", {integers({2, 1, 2}, {1, 2, 3, 4}), integers({}, {1})}), {2, 1, 2},
      {0, 2, 0, 4});
  expect_elements<std::int64_t>(result_of("Trilu", {integers({3, 0}, {})}), {3, 0}, {});
  EXPECT_EQ(complaint_of("Trilu", {list({1})}),
            "bad model or input: Trilu needs matrices, got shape [1]");
}

TEST(EyeLike, SetsADiagonal) {
  const Tensor x = integers({2, 3}, {9, 9, 9, 9, 9, 9});
  expect_elements<std::int64_t>(result_of("EyeLike", {x}), {2, 3}, {1, 0, 0, 0, 1, 0});
  expect_elements<float>(result_of("EyeLike", {x}, {{"k", whole(1)}, {"dtype", whole(1)}}), {2, 3},
                         {0, 1, 0, 0, 0, 1});
  expect_elements<std::int64_t>(result_of("EyeLike", {x}, {{"k", whole(-1)}}), {2, 3},
                                {0, 0, 0, 1, 0, 0});
  expect_elements<std::int64_t>(result_of("EyeLike", {x}, {{"k", whole(kLowest)}}), {2, 3},
                                {0, 0, 0, 0, 0, 0});
  expect_elements<std::int64_t>(result_of("EyeLike", {x}, {{"k", whole(kHighest)}}), {2, 3},
                                {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(complaint_of("EyeLike", {list({1})}),
            "bad model or input: EyeLike needs a matrix, got shape [1]");
}

TEST(OneHot, PutsOneValueAtEachIndex) {
  const Tensor depth = integers({}, {3});
  const Tensor values = floats({2}, {0, 5});
  expect_elements<float>(result_of("OneHot", {list({1, -1, 7}), depth, values}), {3, 3},
                         {0, 5, 0, 0, 0, 5, 0, 0, 0});
  expect_elements<float>(
      result_of("OneHot", {list({1, 0}), floats({1}, {2.9F}), values}, {{"axis", whole(0)}}),
      {2, 2}, {0, 5, 5, 0});
  expect_elements<float>(result_of("OneHot", {floats({}, {1.5F}), depth, values}), {3}, {0, 5, 0});
  expect_elements<float>(result_of("OneHot", {list({0}), integers({}, {0}), values}), {1, 0}, {});
  EXPECT_EQ(complaint_of("OneHot", {list({0}), integers({}, {-1}), values}),
            "bad model or input: the depth of OneHot is -1");
  EXPECT_EQ(complaint_of("OneHot", {list({0}), depth, floats({1}, {0})}),
            "bad model or input: the values of OneHot have shape [1], expected [2]");
  EXPECT_EQ(complaint_of("OneHot", {list({0}), depth, values}, {{"axis", whole(2)}}),
            "bad model or input: axis 2 of OneHot is outside a tensor of rank 2");
  EXPECT_EQ(complaint_of("OneHot", {list({0}), integers({}, {kHighest}), values}).substr(0, 14),
            "quota exceeded");
}

TEST(TopK, SortsWithTiesByIndex) {
  const Tensor x = floats({2, 4}, {1, 4, 4, 2, 7, kNaN, 7, 9});
  const auto top = evaluate("TopK", {}, std::vector{x, list({3})}, 2);
  EXPECT_EQ(top[0].data<float>()[0], 4);
  EXPECT_EQ(top[0].data<float>()[2], 2);
  expect_elements<std::int64_t>(top[1], {2, 3}, {1, 2, 3, 1, 3, 0});
  const auto low =
      evaluate("TopK", {{"largest", whole(0)}, {"axis", whole(0)}}, std::vector{x, list({1})}, 2);
  expect_elements<float>(low[0], {1, 4}, {1, 4, 4, 2});
  expect_elements<std::int64_t>(low[1], {1, 4}, {0, 0, 0, 0});
  expect_elements<float>(result_of("TopK", {floats({2, 0}, {}), list({0})}), {2, 0}, {});
  EXPECT_EQ(complaint_of("TopK", {x, list({5})}),
            "bad model or input: TopK takes [5] of the 4 elements along axis 1");
  EXPECT_EQ(complaint_of("TopK", {x, list({-1})}),
            "bad model or input: TopK takes [-1] of the 4 elements along axis 1");
}

TEST(Cumulative, SumsAndProducts) {
  const Tensor x = integers({3}, {1, 2, 3});
  const Tensor axis = integers({}, {0});
  expect_elements<std::int64_t>(result_of("CumSum", {x, axis}), {3}, {1, 3, 6});
  expect_elements<std::int64_t>(result_of("CumSum", {x, axis}, {{"exclusive", whole(1)}}), {3},
                                {0, 1, 3});
  expect_elements<std::int64_t>(result_of("CumSum", {x, axis}, {{"reverse", whole(1)}}), {3},
                                {6, 5, 3});
  expect_elements<std::int64_t>(
      result_of("CumSum", {x, axis}, {{"reverse", whole(1)}, {"exclusive", whole(1)}}), {3},
      {5, 3, 0});
  expect_elements<std::int64_t>(result_of("CumProd", {x, axis}), {3}, {1, 2, 6});
  expect_elements<std::int64_t>(
      result_of("CumProd", {x, axis}, {{"reverse", whole(1)}, {"exclusive", whole(1)}}), {3},
      {6, 3, 1});
  expect_elements<float>(result_of("CumSum", {floats({2, 2}, {1, 2, 3, 4}), integers({}, {-2})}),
                         {2, 2}, {1, 2, 4, 6});
  expect_elements<std::int64_t>(result_of("CumSum", {list({kHighest, 1}), axis}), {2},
                                {kHighest, kLowest});
  EXPECT_EQ(complaint_of("CumSum", {x, integers({}, {1})}),
            "bad model or input: axis 1 of CumSum is outside a tensor of rank 1");
}

TEST(ReverseSequence, ReversesTheFirstSteps) {
  const Tensor x = integers({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_elements<std::int64_t>(result_of("ReverseSequence", {x, list({3, 2})}), {3, 2},
                                {5, 4, 3, 2, 1, 6});
  expect_elements<std::int64_t>(result_of("ReverseSequence", {x, list({1, 2, 0})},
                                          {{"time_axis", whole(1)}, {"batch_axis", whole(0)}}),
                                {3, 2}, {1, 2, 4, 3, 5, 6});
  EXPECT_EQ(complaint_of("ReverseSequence", {x, list({4, 0})}),
            "bad model or input: ReverseSequence reverses 4 of 3 steps");
  EXPECT_EQ(complaint_of("ReverseSequence", {x, list({1})}),
            "bad model or input: the lengths of ReverseSequence have shape [1], expected [2]");
  EXPECT_EQ(complaint_of("ReverseSequence", {x, list({1, 1})}, {{"time_axis", whole(1)}}),
            "bad model or input: time_axis=1 and batch_axis=1 of ReverseSequence, expected 0 and 1 "
            "or 1 and 0");
}

TEST(CenterCropPad, CropsOrPadsAroundTheMiddle) {
  const Tensor x = integers({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  expect_elements<std::int64_t>(result_of("CenterCropPad", {x, list({3, 2})}), {3, 2},
                                {2, 3, 7, 8, 0, 0});
  expect_elements<std::int64_t>(
      result_of("CenterCropPad", {x, list({7})}, {{"axes", std::vector<std::int64_t>{-1}}}), {2, 7},
      {0, 1, 2, 3, 4, 5, 0, 0, 6, 7, 8, 9, 10, 0});
  EXPECT_EQ(complaint_of("CenterCropPad", {x, list({7})}),
            "bad model or input: CenterCropPad has 1 lengths for 2 axes");
  EXPECT_EQ(complaint_of("CenterCropPad", {x, list({1, -1})}),
            "bad model or input: a shape has the negative dimension -1");
}

TEST(Windows, FollowTheirFormulas) {
  const Tensor four = integers({}, {4});
  expect_near(result_of("HannWindow", {four}), {4}, {0, 0.5F, 1, 0.5F});
  expect_near(result_of("HannWindow", {integers({}, {3})}, {{"periodic", whole(0)}}), {3},
              {0, 1, 0});
  expect_near(result_of("HammingWindow", {four}), {4}, {0.08695652F, 0.54347825F, 1, 0.54347825F});
  expect_near(result_of("BlackmanWindow", {four}), {4}, {0, 0.34F, 1, 0.34F});
  EXPECT_EQ(result_of("HannWindow", {four}, {{"output_datatype", whole(11)}}).element(),
            ElementType::F64);
  EXPECT_EQ(complaint_of("HannWindow", {integers({}, {-1})}),
            "bad model or input: the size of HannWindow is [-1], expected one number");
}

}  // namespace
}  // namespace braid
