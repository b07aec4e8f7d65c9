#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ops/testing/calls.h"
#include "tensor/element.h"

namespace braid {
namespace {

struct FloatCase {
  std::string_view op;
  Attributes attributes;
  std::vector<float> in;
  std::vector<float> out;
};

class UnaryFloats : public testing::TestWithParam<FloatCase> {};

TEST_P(UnaryFloats, GivesTheExpectedNumbers) {
  const FloatCase& c = GetParam();
  const Dims dims = {static_cast<std::int64_t>(c.in.size())};
  const Tensor y =
      result_of(c.op, {Tensor::of<float>(dims, std::span<const float>(c.in))}, c.attributes);
  for (std::size_t i = 0; i < c.in.size(); ++i) {
    const float got = y.data<float>()[i];
    if (std::isnan(c.out[i]))
      EXPECT_TRUE(std::isnan(got)) << c.op << "(" << c.in[i] << ") = " << got;
    else if (std::isinf(c.out[i]))
      EXPECT_EQ(got, c.out[i]) << c.op << "(" << c.in[i] << ")";
    else
      EXPECT_NEAR(got, c.out[i], 1e-6F * std::max(1.0F, std::fabs(c.out[i])))
          << c.op << "(" << c.in[i] << ")";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, UnaryFloats,
    testing::Values(
        FloatCase{"Abs", {}, {-2, 3, -kInf, kNaN}, {2, 3, kInf, kNaN}},
        FloatCase{"Neg", {}, {-2, 3}, {2, -3}},
        FloatCase{"Sign", {}, {-2, 0, 3, kNaN}, {-1, 0, 1, kNaN}},
        FloatCase{"Reciprocal", {}, {4, 0}, {0.25F, kInf}},
        FloatCase{"Sqrt", {}, {9, -1}, {3, kNaN}},
        FloatCase{"Exp", {}, {0, 1, 200}, {1, 2.7182818F, kInf}},
        FloatCase{"Log", {}, {1, 0, -1}, {0, -kInf, kNaN}},
        FloatCase{"Erf", {}, {0, 1, -5}, {0, 0.8427008F, -1}},
        FloatCase{"Floor", {}, {1.5F, -1.5F}, {1, -2}},
        FloatCase{"Ceil", {}, {1.5F, -1.5F}, {2, -1}},
        FloatCase{"Round",
                  {},
                  {0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F, 2.3F, 0.49999997F, 8388609, kInf, kNaN},
                  {0, 2, 2, 0, -2, -2, 2, 0, 8388609, kInf, kNaN}},
        FloatCase{"Sin", {}, {0, 1}, {0, 0.841471F}}, FloatCase{"Cos", {}, {0, 1}, {1, 0.5403023F}},
        FloatCase{"Tan", {}, {0, 1}, {0, 1.5574077F}},
        FloatCase{"Asin", {}, {0, 1, 2}, {0, 1.5707964F, kNaN}},
        FloatCase{"Acos", {}, {1, 0}, {0, 1.5707964F}},
        FloatCase{"Atan", {}, {0, 1}, {0, 0.7853982F}},
        FloatCase{"Sinh", {}, {0, 1}, {0, 1.1752012F}},
        FloatCase{"Cosh", {}, {0, 1}, {1, 1.5430806F}},
        FloatCase{"Tanh", {}, {0, 1, 50}, {0, 0.7615942F, 1}},
        FloatCase{"Asinh", {}, {0, 1}, {0, 0.8813736F}},
        FloatCase{"Acosh", {}, {1, 2}, {0, 1.3169579F}},
        FloatCase{"Atanh", {}, {0, 0.5F, 1}, {0, 0.5493061F, kInf}},
        FloatCase{"Relu", {}, {-1, 0, 2, kNaN}, {0, 0, 2, kNaN}},
        FloatCase{"LeakyRelu", {}, {-1, 2}, {-0.01F, 2}},
        FloatCase{"LeakyRelu", {{"alpha", 0.5F}}, {-1, 2}, {-0.5F, 2}},
        FloatCase{"ThresholdedRelu", {}, {0.5F, 1, 2, kNaN}, {0, 0, 2, 0}},
        FloatCase{"ThresholdedRelu", {{"alpha", 0.25F}}, {0.25F, 0.5F}, {0, 0.5F}},
        FloatCase{"Elu", {}, {-1, 2}, {-0.6321206F, 2}},
        FloatCase{"Elu", {{"alpha", 2.0F}}, {-1, 2}, {-1.2642411F, 2}},
        FloatCase{"Selu", {}, {-1, 1}, {-1.1113307F, 1.050701F}},
        FloatCase{"Selu", {{"alpha", 2.0F}, {"gamma", 3.0F}}, {-1, 1}, {-3.7927232F, 3}},
        FloatCase{"Celu", {{"alpha", 2.0F}}, {-2, 3}, {-1.2642411F, 3}},
        FloatCase{"Sigmoid", {}, {0, 1, -1, 200, -200}, {0.5F, 0.7310586F, 0.2689414F, 1, 0}},
        FloatCase{"HardSigmoid", {}, {0, 1, 10, -10}, {0.5F, 0.7F, 1, 0}},
        FloatCase{"HardSigmoid", {{"alpha", 0.5F}, {"beta", 0.25F}}, {1, -1}, {0.75F, 0}},
        FloatCase{"HardSwish", {}, {-4, 0, 1, 5}, {0, 0, 0.6666667F, 5}},
        FloatCase{"Softplus", {}, {0, 200, -200}, {0.6931472F, 200, 0}},
        FloatCase{"Softsign", {}, {1, -3}, {0.5F, -0.75F}},
        FloatCase{"Mish", {}, {0, 1, 200}, {0, 0.8650984F, 200}},
        FloatCase{"Swish", {}, {1, -1}, {0.7310586F, -0.2689414F}},
        FloatCase{"Swish", {{"alpha", 2.0F}}, {1}, {0.880797F}},
        FloatCase{"Gelu", {}, {0, 1, -1}, {0, 0.8413447F, -0.1586553F}},
        FloatCase{"Gelu", {{"approximate", std::string("tanh")}}, {1, -1}, {0.841192F, -0.158808F}},
        FloatCase{"Shrink", {}, {-2, -0.5F, 0.5F, 2}, {-2, 0, 0, 2}},
        FloatCase{"Shrink", {{"lambd", 1.5F}, {"bias", 1.5F}}, {-2, 1, 2}, {-0.5F, 0, 0.5F}}));

TEST(Unary, IntegersAreExactAtTheirEnds) {
  expect_elements<std::int64_t>(result_of("Abs", {integers({2}, {kLowest, -3})}), {2},
                                {kLowest, 3});
  expect_elements<std::int64_t>(result_of("Neg", {integers({2}, {kLowest, kHighest})}), {2},
                                {kLowest, -kHighest});
  expect_elements<std::int8_t>(result_of("Abs", {Tensor::of<std::int8_t>({2}, {-128, -1})}), {2},
                               {-128, 1});
  expect_elements<std::uint8_t>(result_of("Sign", {Tensor::of<std::uint8_t>({2}, {0, 200})}), {2},
                                {0, 1});
  expect_elements<std::int64_t>(
      result_of("Shrink", {integers({3}, {kHighest, kLowest, 0})}, {{"bias", 1.0F}}), {3},
      {kHighest - 1, kLowest + 1, 0});
  expect_elements<std::uint16_t>(result_of("BitwiseNot", {Tensor::of<std::uint16_t>({1}, {1})}),
                                 {1}, {0xfffe});
}

TEST(Unary, TruthValues) {
  expect_elements<bool>(result_of("Not", {Tensor::of<bool>({2}, {true, false})}), {2},
                        {false, true});
  expect_elements<bool>(result_of("IsNaN", {floats({3}, {kNaN, 1, kInf})}), {3},
                        {true, false, false});
  const Tensor x = floats({4}, {kInf, -kInf, kNaN, 1});
  expect_elements<bool>(result_of("IsInf", {x}), {4}, {true, true, false, false});
  expect_elements<bool>(result_of("IsInf", {x}, {{"detect_negative", std::int64_t{0}}}), {4},
                        {true, false, false, false});
  expect_elements<bool>(result_of("IsInf", {x}, {{"detect_positive", std::int64_t{0}}}), {4},
                        {false, true, false, false});
}

TEST(Unary, SmallFloatsRoundOnce) {
  const Tensor x = Tensor::of<Float16>({2}, {to_float16(2.0F), to_float16(-1.0F)});
  const Tensor y = result_of("Exp", {x});
  EXPECT_EQ(y.data<Float16>()[0].bits, to_float16(std::exp(2.0F)).bits);
  EXPECT_EQ(y.data<Float16>()[1].bits, to_float16(std::exp(-1.0F)).bits);
}

TEST(Unary, EmptyTensorsAndScalars) {
  expect_elements<float>(result_of("Exp", {floats({0, 3}, {})}), {0, 3}, {});
  expect_elements<float>(result_of("Relu", {floats({}, {-1})}), {}, {0});
}

TEST(Unary, Complaints) {
  EXPECT_EQ(complaint_of("Exp", {list({1})}),
            "unsupported: Exp is not defined on elements of type i64");
  EXPECT_EQ(complaint_of("Gelu", {floats({1}, {1})}, {{"approximate", std::string("fast")}}),
            "bad model or input: attribute 'approximate' of Gelu is 'fast', expected none or tanh");
  EXPECT_EQ(complaint_of("Exp", {floats({1}, {1})}, {{"alpha", 1.0F}}),
            "bad model or input: Exp has no attribute 'alpha'");
  EXPECT_EQ(complaint_of("Exp", {floats({1}, {1}), floats({1}, {1})}),
            "bad model or input: Exp takes 1 to 1 inputs, got 2");
}

TEST(Binary, FloatArithmeticBroadcasts) {
  const Tensor a = floats({2, 1}, {1, 10});
  const Tensor b = floats({3}, {1, 2, 4});
  expect_elements<float>(result_of("Add", {a, b}), {2, 3}, {2, 3, 5, 11, 12, 14});
  expect_elements<float>(result_of("Sub", {a, b}), {2, 3}, {0, -1, -3, 9, 8, 6});
  expect_elements<float>(result_of("Mul", {a, b}), {2, 3}, {1, 2, 4, 10, 20, 40});
  expect_elements<float>(result_of("Div", {a, b}), {2, 3}, {1, 0.5F, 0.25F, 10, 5, 2.5F});
  expect_elements<float>(result_of("Add", {floats({}, {1}), floats({}, {2})}), {}, {3});
  expect_elements<float>(result_of("Add", {floats({0, 3}, {}), b}), {0, 3}, {});
}

TEST(Binary, IntegersWrapAndNeverTrap) {
  const Tensor ends = integers({2}, {kHighest, kLowest});
  expect_elements<std::int64_t>(result_of("Add", {ends, list({1})}), {2}, {kLowest, kLowest + 1});
  expect_elements<std::int64_t>(result_of("Sub", {ends, list({1})}), {2}, {kHighest - 1, kHighest});
  expect_elements<std::int64_t>(result_of("Mul", {ends, list({2})}), {2}, {-2, 0});
  expect_elements<std::int64_t>(result_of("Div", {ends, list({-1})}), {2}, {-kHighest, kLowest});
  expect_elements<std::int64_t>(result_of("Div", {ends, list({0})}), {2}, {0, 0});
  expect_elements<std::int64_t>(result_of("Div", {list({7, -7}), list({2})}), {2}, {3, -3});
  const Tensor large = Tensor::of<std::uint16_t>({1}, {65535});
  expect_elements<std::uint16_t>(result_of("Mul", {large, large}), {1}, {1});
  const Tensor byte = Tensor::of<std::uint8_t>({1}, {200});
  expect_elements<std::uint8_t>(result_of("Add", {byte, byte}), {1}, {144});
}

TEST(Binary, PowersOfMixedTypes) {
  expect_elements<std::int64_t>(result_of("Pow", {list({2, -3, 0}), list({10, 3, 0})}), {3},
                                {1024, -27, 1});
  expect_elements<std::int64_t>(result_of("Pow", {list({2, 1, -1, -1}), list({-1, -5, -3, -4})}),
                                {4}, {0, 1, -1, 1});
  expect_elements<std::int64_t>(result_of("Pow", {list({0}), list({-1})}), {1}, {0});
  expect_elements<std::int64_t>(result_of("Pow", {list({3}), list({kLowest})}), {1}, {0});
  expect_elements<std::int64_t>(
      result_of("Pow", {list({-1}), Tensor::of<std::uint64_t>({1}, {UINT64_MAX})}), {1}, {-1});
  expect_elements<float>(result_of("Pow", {floats({2}, {2, 9}), list({3, 1})}), {2}, {8, 9});
  expect_elements<std::int64_t>(result_of("Pow", {list({4, 2}), floats({2}, {0.5F, 200})}), {2},
                                {2, kHighest});
}

TEST(Binary, Remainders) {
  const Tensor a = list({-4, 7, 5, 4, -7, 8});
  const Tensor b = list({2, -3, 8, -2, 3, 5});
  expect_elements<std::int64_t>(result_of("Mod", {a, b}), {6}, {0, -2, 5, 0, 2, 3});
  expect_elements<std::int64_t>(result_of("Mod", {a, b}, {{"fmod", std::int64_t{1}}}), {6},
                                {0, 1, 5, 0, -1, 3});
  expect_elements<std::int64_t>(result_of("Mod", {list({kLowest, 5}), list({-1, 0})}), {2}, {0, 0});
  expect_near(result_of("Mod", {floats({3}, {-4.25F, 7.5F, 5.5F}), floats({3}, {2, -3, kInf})}),
              {2 + 1}, {1.75F, -1.5F, 5.5F});
  expect_near(result_of("Mod", {floats({2}, {-4.25F, 7.5F}), floats({2}, {2, -3})},
                        {{"fmod", std::int64_t{1}}}),
              {2}, {-0.25F, 1.5F});
}

TEST(Binary, ShiftsPastTheWidthLeaveTheSign) {
  const Attributes left = {{"direction", std::string("LEFT")}};
  const Attributes right = {{"direction", std::string("RIGHT")}};
  const Tensor x = Tensor::of<std::uint8_t>({4}, {1, 255, 16, 16});
  const Tensor by = Tensor::of<std::uint8_t>({4}, {1, 4, 8, 200});
  expect_elements<std::uint8_t>(result_of("BitShift", {x, by}, left), {4}, {2, 240, 0, 0});
  expect_elements<std::uint8_t>(result_of("BitShift", {x, by}, right), {4}, {0, 15, 0, 0});
  const Tensor s = list({-8, -8, 8, -8});
  const Tensor t = list({1, 64, 64, -1});
  expect_elements<std::int64_t>(result_of("BitShift", {s, t}, right), {4}, {-4, -1, 0, -1});
  expect_elements<std::int64_t>(result_of("BitShift", {s, t}, left), {4}, {-16, 0, 0, 0});
}

TEST(Binary, LogicAndBits) {
  const Tensor p = Tensor::of<bool>({2, 1}, {true, false});
  const Tensor q = Tensor::of<bool>({2}, {true, false});
  expect_elements<bool>(result_of("And", {p, q}), {2, 2}, {true, false, false, false});
  expect_elements<bool>(result_of("Or", {p, q}), {2, 2}, {true, true, true, false});
  expect_elements<bool>(result_of("Xor", {p, q}), {2, 2}, {false, true, true, false});
  expect_elements<std::int64_t>(result_of("BitwiseAnd", {list({12}), list({10})}), {1}, {8});
  expect_elements<std::int64_t>(result_of("BitwiseOr", {list({12}), list({10})}), {1}, {14});
  expect_elements<std::int64_t>(result_of("BitwiseXor", {list({12}), list({-1})}), {1}, {-13});
}

TEST(Binary, SlopesAndGates) {
  expect_elements<float>(result_of("PRelu", {floats({2, 2}, {-1, 2, -3, 4}), floats({2}, {2, 3})}),
                         {2, 2}, {-2, 2, -6, 4});
  EXPECT_EQ(complaint_of("PRelu", {floats({2}, {1, 2}), floats({2, 2}, {1, 2, 3, 4})}),
            "bad model or input: the slope [2,2] of PRelu does not broadcast to its input [2]");
  expect_near(result_of("SwiGLU", {floats({2}, {1, -100}), floats({2}, {2, 1})}), {2},
              {1.4621172F, 0});
}

TEST(Binary, Comparisons) {
  const Tensor a = floats({3}, {1, 2, kNaN});
  const Tensor b = floats({3}, {2, 2, kNaN});
  expect_elements<bool>(result_of("Equal", {a, b}), {3}, {false, true, false});
  expect_elements<bool>(result_of("Less", {a, b}), {3}, {true, false, false});
  expect_elements<bool>(result_of("LessOrEqual", {a, b}), {3}, {true, true, false});
  expect_elements<bool>(result_of("Greater", {b, a}), {3}, {true, false, false});
  expect_elements<bool>(result_of("GreaterOrEqual", {b, a}), {3}, {true, true, false});
  expect_elements<bool>(result_of("Less", {Tensor::of<std::uint64_t>({1}, {1}),
                                           Tensor::of<std::uint64_t>({1}, {UINT64_MAX})}),
                        {1}, {true});
}

TEST(Binary, Complaints) {
  EXPECT_EQ(complaint_of("Add", {floats({2}, {1, 2}), floats({3}, {1, 2, 3})}),
            "bad model or input: shapes [2] and [3] of Add do not broadcast");
  EXPECT_EQ(complaint_of("Add", {floats({1}, {1}), list({1})}),
            "bad model or input: inputs of Add have types f32 and i64, expected one type");
  EXPECT_EQ(
      complaint_of("BitShift", {list({1}), list({1})}, {{"direction", std::string("UP")}}),
      "bad model or input: attribute 'direction' of BitShift is 'UP', expected LEFT or RIGHT");
  EXPECT_EQ(complaint_of("Add", {floats({1}, {1})}),
            "bad model or input: Add takes 2 to 2 inputs, got 1");
}

/// A shape that broadcasts to `dims`: some leading axes dropped, some lengths replaced by 1.
Dims thinned(const Dims& dims) {
  const auto drop = *rc::gen::inRange<std::size_t>(0, dims.size() + 1);
  Dims out(dims.begin() + static_cast<std::ptrdiff_t>(drop), dims.end());
  for (std::int64_t& d : out)
    if (*rc::gen::arbitrary<bool>()) d = 1;
  return out;
}

std::int64_t element_at(const Tensor& tensor, const Dims& full, std::int64_t flat) {
  std::int64_t offset = 0;
  std::int64_t step = 1;
  const Dims& dims = tensor.dims();
  for (std::size_t i = full.size(); i-- > 0;) {
    const std::int64_t index = flat % full[i];
    flat /= full[i];
    const std::size_t skip = full.size() - dims.size();
    if (i < skip) continue;
    if (dims[i - skip] != 1) offset += index * step;
    step *= dims[i - skip];
  }
  return tensor.data<std::int64_t>()[static_cast<std::size_t>(offset)];
}

RC_GTEST_PROP(Binary, BroadcastingEqualsIndexArithmetic, ()) {
  const auto rank = *rc::gen::inRange<std::size_t>(0, 5);
  const auto dims = *rc::gen::container<Dims>(rank, rc::gen::inRange<std::int64_t>(0, 4));
  const auto filled = [](const Dims& shape) {
    const auto elements = *rc::gen::container<std::vector<std::int64_t>>(
        static_cast<std::size_t>(element_count(shape)), rc::gen::arbitrary<std::int64_t>());
    return Tensor::of<std::int64_t>(shape, std::span<const std::int64_t>(elements));
  };
  const Tensor a = filled(thinned(dims));
  const Tensor b = filled(thinned(dims));
  const Tensor c = filled(dims);
  const Tensor ab = result_of("Sub", {a, b});
  const Tensor max = result_of("Max", {a, b, c});
  RC_ASSERT(max.dims() == dims);
  for (std::int64_t i = 0; i < element_count(dims); ++i) {
    const auto x = element_at(a, dims, i);
    const auto y = element_at(b, dims, i);
    const auto z = element_at(c, dims, i);
    RC_ASSERT(element_at(max, dims, i) == std::max({x, y, z}));
    RC_ASSERT(element_at(ab, dims, i) == static_cast<std::int64_t>(static_cast<std::uint64_t>(x) -
                                                                   static_cast<std::uint64_t>(y)));
  }
}

TEST(Variadic, FoldsAnyNumberOfInputs) {
  const Tensor a = floats({2}, {1, 5});
  const Tensor b = floats({2, 1}, {3, 4});
  const Tensor c = floats({}, {2});
  expect_elements<float>(result_of("Sum", {a, b, c}), {2, 2}, {6, 10, 7, 11});
  expect_elements<float>(result_of("Mean", {a, b, c}), {2, 2}, {2, 10.0F / 3, 7.0F / 3, 11.0F / 3});
  expect_elements<float>(result_of("Min", {a, b, c}), {2, 2}, {1, 2, 1, 2});
  expect_elements<float>(result_of("Max", {a, b, c}), {2, 2}, {3, 5, 4, 5});
  expect_elements<float>(result_of("Sum", {a}), {2}, {1, 5});
}

TEST(Variadic, NaNWins) {
  for (const char* op : {"Min", "Max"}) {
    const Tensor y = result_of(op, {floats({2}, {kNaN, 1}), floats({2}, {1, kNaN})});
    EXPECT_TRUE(std::isnan(y.data<float>()[0]) && std::isnan(y.data<float>()[1])) << op;
  }
}

TEST(Variadic, SmallFloatsAddInFloat) {
  const Tensor big = Tensor::of<Float16>({1}, {to_float16(2048.0F)});
  const Tensor one = Tensor::of<Float16>({1}, {to_float16(1.0F)});
  const Tensor y = result_of("Sum", {big, one, one});
  EXPECT_EQ(to_float(y.data<Float16>()[0]), 2050.0F);
}

TEST(Select, Where) {
  const Tensor condition = Tensor::of<bool>({2, 1}, {true, false});
  expect_elements<float>(result_of("Where", {condition, floats({2}, {1, 2}), floats({}, {9})}),
                         {2, 2}, {1, 2, 9, 9});
  EXPECT_EQ(complaint_of("Where", {list({1}), list({1}), list({1})}),
            "bad model or input: the condition of Where has type i64, expected bool");
  EXPECT_EQ(complaint_of("Where", {condition, list({1}), floats({}, {1})}),
            "bad model or input: inputs of Where have types i64 and f32, expected one type");
}

TEST(Select, Clip) {
  const Tensor x = floats({4}, {-5, 0.5F, 5, kNaN});
  const Tensor low = floats({}, {-1});
  const Tensor high = floats({}, {1});
  const Tensor both = result_of("Clip", {x, low, high});
  EXPECT_EQ(both.data<float>()[0], -1);
  EXPECT_EQ(both.data<float>()[1], 0.5F);
  EXPECT_EQ(both.data<float>()[2], 1);
  EXPECT_TRUE(std::isnan(both.data<float>()[3]));
  EXPECT_EQ(result_of("Clip", {x, Tensor{}, high}).data<float>()[0], -5);
  EXPECT_EQ(result_of("Clip", {x, low}).data<float>()[2], 5);
  EXPECT_EQ(result_of("Clip", {x, high, low}).data<float>()[1], -1);
  expect_elements<std::int64_t>(
      result_of("Clip", {list({-3, 3}), integers({}, {0}), integers({}, {2})}), {2}, {0, 2});
  EXPECT_EQ(complaint_of("Clip", {x, floats({2}, {1, 2})}),
            "bad model or input: the bounds of Clip are single numbers, got shape [2]");
}

TEST(Cast, FloatsThatDoNotFitBecomeTheNearestEnd) {
  const Tensor x = floats({6}, {1.9F, -1.9F, 1e30F, -1e30F, kNaN, kInf});
  expect_elements<std::int64_t>(result_of("Cast", {x}, {{"to", std::int64_t{7}}}), {6},
                                {1, -1, kHighest, kLowest, 0, kHighest});
  expect_elements<std::uint8_t>(result_of("Cast", {x}, {{"to", std::int64_t{2}}}), {6},
                                {1, 0, 255, 0, 0, 255});
  expect_elements<std::int32_t>(
      result_of("Cast", {floats({2}, {2147483648.0F, -2147483648.0F})}, {{"to", std::int64_t{6}}}),
      {2}, {INT32_MAX, INT32_MIN});
  expect_elements<bool>(
      result_of("Cast", {floats({3}, {0, -0.0F, 0.5F})}, {{"to", std::int64_t{9}}}), {3},
      {false, false, true});
}

TEST(Cast, IntegersDropHighBits) {
  expect_elements<std::int8_t>(
      result_of("Cast", {Tensor::of<std::int16_t>({1}, {200})}, {{"to", std::int64_t{3}}}), {1},
      {-56});
  expect_elements<float>(
      result_of("Cast", {Tensor::of<bool>({2}, {true, false})}, {{"to", std::int64_t{1}}}), {2},
      {1, 0});
  const Tensor half = result_of("Cast", {list({65504, 70000})}, {{"to", std::int64_t{10}}});
  EXPECT_EQ(half.data<Float16>()[0].bits, 0x7bff);
  EXPECT_EQ(half.data<Float16>()[1].bits, 0x7c00);
}

TEST(Cast, LikeAnotherAndByBits) {
  expect_elements<std::int64_t>(result_of("CastLike", {floats({1}, {2.5F}), list({0, 0, 0})}), {1},
                                {2});
  expect_elements<std::uint32_t>(
      result_of("BitCast", {floats({1}, {1})}, {{"to", std::int64_t{12}}}), {1}, {0x3f800000});
  expect_elements<bool>(
      result_of("BitCast", {Tensor::of<std::uint8_t>({3}, {0, 1, 7})}, {{"to", std::int64_t{9}}}),
      {3}, {false, true, true});
  EXPECT_EQ(complaint_of("BitCast", {list({1})}, {{"to", std::int64_t{1}}}),
            "bad model or input: BitCast from i64 to f32: the sizes differ");
  EXPECT_EQ(complaint_of("Cast", {list({1})}, {{"to", std::int64_t{8}}}),
            "unsupported: Cast names ONNX element type 8, which is not supported");
  EXPECT_EQ(complaint_of("Cast", {list({1})}, {{"to", std::int64_t{99}}}),
            "bad model or input: Cast names element type 99, which ONNX does not have");
}

}  // namespace
}  // namespace braid
