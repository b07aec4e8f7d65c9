#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ops/testing/calls.h"
#include "tensor/element.h"

namespace braid {
namespace {

const Tensor kRowOfSix = floats({2, 3}, {1, 2, 3, 4, 5, 6});

struct Case {
  std::string_view op;
  std::vector<float> along_rows;  ///< axis 1 of kRowOfSix
  float all;
  float empty;  ///< of no elements
};

class Reductions : public testing::TestWithParam<Case> {};

TEST_P(Reductions, AlongAnAxisAllAndNone) {
  const Case& c = GetParam();
  expect_near(result_of(c.op, {kRowOfSix, list({1})}), {2, 1}, {c.along_rows[0], c.along_rows[1]},
              1e-5F);
  expect_near(result_of(c.op, {kRowOfSix, list({-1})}, {{"keepdims", whole(0)}}), {2},
              {c.along_rows[0], c.along_rows[1]}, 1e-5F);
  const Tensor all = result_of(c.op, {kRowOfSix});
  expect_near(all, {1, 1}, {c.all}, 1e-4F);
  expect_near(result_of(c.op, {kRowOfSix, list({})}, {{"keepdims", whole(0)}}), {},
              {all.data<float>()[0]}, 0);
  const Tensor empty = result_of(c.op, {floats({2, 0}, {}), list({1})});
  for (const float x : empty.data<float>())
    EXPECT_TRUE(x == c.empty || (std::isnan(x) && std::isnan(c.empty))) << x;
  EXPECT_EQ(empty.dims(), Dims({2, 1}));
  EXPECT_EQ(result_of(c.op, {floats({0, 2}, {}), list({1})}).dims(), Dims({0, 1}));
}

INSTANTIATE_TEST_SUITE_P(
    Table, Reductions,
    testing::Values(Case{"ReduceSum", {6, 15}, 21, 0}, Case{"ReduceMean", {2, 5}, 3.5F, kNaN},
                    Case{"ReduceProd", {6, 120}, 720, 1}, Case{"ReduceMax", {3, 6}, 6, -kInf},
                    Case{"ReduceMin", {1, 4}, 1, kInf}, Case{"ReduceL1", {6, 15}, 21, 0},
                    Case{"ReduceL2", {3.7416574F, 8.774964F}, 9.539392F, 0},
                    Case{"ReduceSumSquare", {14, 77}, 91, 0},
                    Case{"ReduceLogSum", {1.7917595F, 2.7080502F}, 3.0445225F, -kInf},
                    Case{"ReduceLogSumExp", {3.407606F, 6.407606F}, 6.456193F, -kInf}));

TEST(Reduce, NoAxesWithNoopKeepsTheElementwisePart) {
  const Attributes noop = {{"noop_with_empty_axes", whole(1)}};
  expect_near(result_of("ReduceSum", {floats({2}, {-1, 2})}, noop), {2}, {-1, 2});
  expect_near(result_of("ReduceL1", {floats({2}, {-1, 2})}, noop), {2}, {1, 2});
  expect_near(result_of("ReduceSumSquare", {floats({2}, {-1, 2}), list({})}, noop), {2}, {1, 4});
}

TEST(Reduce, IntegersAreExact) {
  const auto highest = std::numeric_limits<std::int64_t>::max();
  expect_elements<std::int64_t>(result_of("ReduceSum", {list({highest, 1})}), {1},
                                {std::numeric_limits<std::int64_t>::min()});
  expect_elements<std::int64_t>(result_of("ReduceSum", {list({highest - 1, 1})}), {1}, {highest});
  expect_elements<std::int64_t>(result_of("ReduceMean", {list({-3, -4})}), {1}, {-3});
  expect_elements<std::uint32_t>(
      result_of("ReduceMean", {Tensor::of<std::uint32_t>({2}, {3000000000U, 1000000001U})}), {1},
      {2000000000U});
  expect_elements<std::int64_t>(result_of("ReduceL2", {list({3037000498, 0})}), {1}, {3037000498});
  expect_elements<std::int32_t>(result_of("ReduceL1", {Tensor::of<std::int32_t>({2}, {-3, 4})}),
                                {1}, {7});
  expect_elements<std::int64_t>(result_of("ReduceMean", {integers({0}, {})}), {1}, {0});
  expect_elements<bool>(result_of("ReduceMax", {Tensor::of<bool>({2}, {false, true})}), {1},
                        {true});
  expect_elements<bool>(result_of("ReduceMin", {Tensor::of<bool>({0}, std::span<const bool>())}),
                        {1}, {true});
  expect_elements<std::int8_t>(
      result_of("ReduceMax", {Tensor::of<std::int8_t>({0}, std::span<const std::int8_t>())}), {1},
      {-128});
}

TEST(Reduce, LongSumsKeepTheirDigits) {
  const std::vector<float> tenths(1 << 20, 0.1F);
  const Tensor x = Tensor::of<float>({1 << 20}, std::span<const float>(tenths));
  EXPECT_FLOAT_EQ(result_of("ReduceSum", {x}).data<float>()[0], 0.1F * (1 << 20));
  const std::vector<Float16> ones(4096, to_float16(1.0F));
  const Tensor h = Tensor::of<Float16>({4096}, std::span<const Float16>(ones));
  EXPECT_EQ(to_float(result_of("ReduceSum", {h}).data<Float16>()[0]), 4096.0F);
}

TEST(Reduce, ExtremeValues) {
  expect_near(result_of("ReduceLogSumExp", {floats({2}, {1000, 1000})}), {1}, {1000.6931F}, 1e-3F);
  EXPECT_EQ(result_of("ReduceLogSumExp", {floats({2}, {kInf, 1})}).data<float>()[0], kInf);
  EXPECT_EQ(result_of("ReduceLogSumExp", {floats({2}, {-kInf, -kInf})}).data<float>()[0], -kInf);
  for (const char* op : {"ReduceMax", "ReduceMin", "ReduceLogSumExp", "ReduceSum"})
    EXPECT_TRUE(std::isnan(result_of(op, {floats({3}, {1, kNaN, 2})}).data<float>()[0])) << op;
}

TEST(Reduce, Complaints) {
  EXPECT_EQ(complaint_of("ReduceSum", {kRowOfSix, list({2})}),
            "bad model or input: axis 2 of ReduceSum is outside a tensor of rank 2");
  EXPECT_EQ(complaint_of("ReduceSum", {kRowOfSix, list({0, -2})}),
            "bad model or input: axis 0 of ReduceSum is named twice");
  EXPECT_EQ(complaint_of("ReduceLogSum", {list({1})}),
            "unsupported: ReduceLogSum is not defined on elements of type i64");
}

RC_GTEST_PROP(Reduce, SumsEqualIndexArithmetic, ()) {
  const auto dims = *rc::gen::container<Dims>(4, rc::gen::inRange<std::int64_t>(0, 4));
  const auto picked = *rc::gen::container<std::vector<bool>>(4, rc::gen::arbitrary<bool>());
  std::vector<std::int64_t> elements(static_cast<std::size_t>(element_count(dims)));
  std::iota(elements.begin(), elements.end(), 1);
  std::vector<std::int64_t> axes;
  Dims kept = dims;
  for (std::size_t i = 0; i < 4; ++i)
    if (picked[i]) {
      axes.push_back(static_cast<std::int64_t>(i));
      kept[i] = 1;
    }
  std::vector<std::int64_t> expected(static_cast<std::size_t>(element_count(kept)), 0);
  for (std::size_t flat = 0; flat < elements.size(); ++flat) {
    auto rest = static_cast<std::int64_t>(flat);
    std::int64_t to = 0;
    std::int64_t step = 1;
    for (std::size_t i = 4; i-- > 0; rest /= dims[i]) {
      to += picked[i] ? 0 : rest % dims[i] * step;
      step *= kept[i];
    }
    expected[static_cast<std::size_t>(to)] += elements[flat];
  }
  const Tensor y =
      result_of("ReduceSum",
                {Tensor::of<std::int64_t>(dims, std::span<const std::int64_t>(elements)),
                 Tensor::of<std::int64_t>({static_cast<std::int64_t>(axes.size())},
                                          std::span<const std::int64_t>(axes))},
                {{"noop_with_empty_axes", whole(1)}});
  RC_ASSERT(y.dims() == kept);
  RC_ASSERT(std::equal(expected.begin(), expected.end(), y.data<std::int64_t>().begin()));
}

TEST(Arg, FindsTheFirstOrTheLast) {
  const Tensor x = floats({2, 3}, {2, 7, 7, 4, 1, 1});
  expect_elements<std::int64_t>(result_of("ArgMax", {x}, {{"axis", whole(1)}}), {2, 1}, {1, 0});
  expect_elements<std::int64_t>(
      result_of("ArgMax", {x},
                {{"axis", whole(-1)}, {"keepdims", whole(0)}, {"select_last_index", whole(1)}}),
      {2}, {2, 0});
  expect_elements<std::int64_t>(
      result_of("ArgMin", {x}, {{"axis", whole(1)}, {"select_last_index", whole(1)}}), {2, 1},
      {0, 2});
  expect_elements<std::int64_t>(result_of("ArgMin", {x}), {1, 3}, {0, 1, 1});
  expect_elements<std::int64_t>(result_of("ArgMax", {floats({3}, {1, kNaN, kNaN})}), {1}, {1});
  expect_elements<std::int64_t>(
      result_of("ArgMin", {floats({3}, {1, kNaN, kNaN})}, {{"select_last_index", whole(1)}}), {1},
      {2});
}

TEST(Arg, EmptyAxes) {
  EXPECT_EQ(complaint_of("ArgMax", {floats({2, 0}, {})}, {{"axis", whole(1)}}),
            "bad model or input: ArgMax looks along axis 1 of shape [2,0], which is empty");
  expect_elements<std::int64_t>(result_of("ArgMax", {floats({0, 3}, {})}, {{"axis", whole(1)}}),
                                {0, 1}, {});
  EXPECT_EQ(complaint_of("ArgMax", {floats({}, {1})}),
            "bad model or input: axis 0 of ArgMax is outside a tensor of rank 0");
}

}  // namespace
}  // namespace braid
