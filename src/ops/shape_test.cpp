#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ops/builder.h"
#include "ops/testing/calls.h"

namespace braid {
namespace {

const Tensor kSix = integers({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(Shape, GivesThePartAskedFor) {
  const Tensor x = Tensor::zeros({ElementType::F32, {2, 3, 4}});
  expect_elements<std::int64_t>(result_of("Shape", {x}), {3}, {2, 3, 4});
  expect_elements<std::int64_t>(result_of("Shape", {x}, {{"start", whole(1)}}), {2}, {3, 4});
  expect_elements<std::int64_t>(result_of("Shape", {x}, {{"end", whole(-1)}}), {2}, {2, 3});
  expect_elements<std::int64_t>(result_of("Shape", {x}, {{"start", whole(2)}, {"end", whole(1)}}),
                                {0}, {});
  expect_elements<std::int64_t>(
      result_of("Shape", {x}, {{"start", whole(kLowest)}, {"end", whole(kHighest)}}), {3},
      {2, 3, 4});
  expect_elements<std::int64_t>(result_of("Shape", {floats({}, {1})}), {0}, {});
}

TEST(Size, CountsElements) {
  expect_elements<std::int64_t>(result_of("Size", {kSix}), {}, {6});
  expect_elements<std::int64_t>(result_of("Size", {floats({0, 4}, {})}), {}, {0});
}

TEST(Reshape, FillsInTheFreeDimension) {
  EXPECT_EQ(result_of("Reshape", {kSix, list({3, -1})}).dims(), Dims({3, 2}));
  EXPECT_EQ(result_of("Reshape", {kSix, list({0, -1, 1})}).dims(), Dims({2, 3, 1}));
  EXPECT_EQ(result_of("Reshape", {integers({1}, {7}), list({})}).dims(), Dims({}));
  EXPECT_EQ(result_of("Reshape", {floats({0, 3}, {}), list({3, -1})}).dims(), Dims({3, 0}));
  EXPECT_EQ(
      result_of("Reshape", {floats({0, 3}, {}), list({5, 0})}, {{"allowzero", whole(1)}}).dims(),
      Dims({5, 0}));
  expect_elements<std::int64_t>(result_of("Reshape", {kSix, list({6})}), {6}, {1, 2, 3, 4, 5, 6});
}

TEST(Reshape, RefusesImpossibleShapes) {
  const auto complaint = [](std::initializer_list<std::int64_t> shape) {
    return complaint_of("Reshape", {kSix, list(shape)});
  };
  EXPECT_EQ(complaint({-1, -1}),
            "bad model or input: a tensor of shape [2,3] cannot be reshaped to [-1,-1]");
  EXPECT_EQ(complaint({4, -1}),
            "bad model or input: a tensor of shape [2,3] cannot be reshaped to [4,-1]");
  EXPECT_EQ(complaint({7}),
            "bad model or input: a tensor of shape [2,3] cannot be reshaped to [7]");
  EXPECT_EQ(complaint({2, 3, 0}),
            "bad model or input: a tensor of shape [2,3] cannot be reshaped to [2,3,0]");
  EXPECT_EQ(complaint({-6, -1}),
            "bad model or input: a tensor of shape [2,3] cannot be reshaped to [-6,-1]");
  EXPECT_EQ(complaint({kHighest, kHighest}).substr(0, 14), "quota exceeded");
  EXPECT_EQ(complaint_of("Reshape", {floats({0}, {}), list({0, -1})}, {{"allowzero", whole(1)}}),
            "bad model or input: a tensor of shape [0] cannot be reshaped to [0,-1]");
}

TEST(Reshape, NeedsAShapeThatIsKnown) {
  try {
    parse("x: f32[2,3]\ns: i64[1]\ny = Reshape(x, s)\n");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    EXPECT_EQ(error.message(),
              "the shape of Reshape must be known before the model runs, but it depends on the "
              "model's inputs");
  }
}

TEST(Reshape, FollowsShapeComputations) {
  const Graph graph = parse(R"(x: f32[2,3,4]
s = Shape(x)
b = Gather(s, i: i64[] = {0})
u = Unsqueeze(b, a: i64[1] = {0})
t = Concat(u, m: i64[1] = {-1}) axis=0
y = Reshape(x, t)
)");
  EXPECT_EQ(graph.value(graph.find("y")).type.dims, Dims({2, 12}));
}

TEST(Flatten, SplitsAtTheAxis) {
  const Tensor x = Tensor::zeros({ElementType::F32, {2, 3, 4}});
  EXPECT_EQ(result_of("Flatten", {x}).dims(), Dims({2, 12}));
  EXPECT_EQ(result_of("Flatten", {x}, {{"axis", whole(0)}}).dims(), Dims({1, 24}));
  EXPECT_EQ(result_of("Flatten", {x}, {{"axis", whole(3)}}).dims(), Dims({24, 1}));
  EXPECT_EQ(result_of("Flatten", {x}, {{"axis", whole(-1)}}).dims(), Dims({6, 4}));
  EXPECT_EQ(result_of("Flatten", {floats({}, {1})}, {{"axis", whole(0)}}).dims(), Dims({1, 1}));
  EXPECT_EQ(complaint_of("Flatten", {x}, {{"axis", whole(4)}}),
            "bad model or input: axis 4 of Flatten is outside a tensor of rank 3");
}

TEST(Squeeze, DropsAxesOfLengthOne) {
  const Tensor x = Tensor::zeros({ElementType::F32, {1, 3, 1, 5}});
  EXPECT_EQ(result_of("Squeeze", {x}).dims(), Dims({3, 5}));
  EXPECT_EQ(result_of("Squeeze", {x, list({-2})}).dims(), Dims({1, 3, 5}));
  EXPECT_EQ(
      complaint_of("Squeeze", {x, list({1})}),
      "bad model or input: Squeeze drops axis 1 of shape [1,3,1,5], which is not of length 1");
  EXPECT_EQ(complaint_of("Squeeze", {x, list({0, -4})}),
            "bad model or input: axis 0 of Squeeze is named twice");
}

TEST(Unsqueeze, AddsAxesOfTheResult) {
  const Tensor x = Tensor::zeros({ElementType::F32, {3, 4}});
  EXPECT_EQ(result_of("Unsqueeze", {x, list({0, 3})}).dims(), Dims({1, 3, 4, 1}));
  EXPECT_EQ(result_of("Unsqueeze", {x, list({-1, 1})}).dims(), Dims({3, 1, 4, 1}));
  EXPECT_EQ(result_of("Unsqueeze", {floats({}, {1}), list({0})}).dims(), Dims({1}));
  EXPECT_EQ(complaint_of("Unsqueeze", {x, list({3})}),
            "bad model or input: axis 3 of Unsqueeze is outside a tensor of rank 3");
}

TEST(Constant, HoldsWhatItsAttributeSays) {
  expect_elements<std::int64_t>(result_of("Constant", {}, {{"value_int", whole(5)}}), {}, {5});
  expect_elements<float>(result_of("Constant", {}, {{"value_float", 0.5F}}), {}, {0.5F});
  expect_elements<std::int64_t>(
      result_of("Constant", {}, {{"value_ints", std::vector<std::int64_t>{1, 2}}}), {2}, {1, 2});
  expect_elements<float>(result_of("Constant", {}, {{"value_floats", std::vector<float>{}}}), {0},
                         {});
  expect_elements<std::int64_t>(result_of("Constant", {}, {{"value", kSix}}), {2, 3},
                                {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(complaint_of("Constant", {}),
            "bad model or input: Constant has 0 attributes, expected one value");
  EXPECT_EQ(complaint_of("Constant", {}, {{"value_string", std::string("a")}}),
            "unsupported: Constant holds text; text tensors are not supported");
}

TEST(ConstantOfShape, Fills) {
  expect_elements<float>(result_of("ConstantOfShape", {list({2, 1})}), {2, 1}, {0, 0});
  expect_elements<std::int64_t>(
      result_of("ConstantOfShape", {list({2})}, {{"value", integers({1}, {7})}}), {2}, {7, 7});
  expect_elements<float>(result_of("ConstantOfShape", {list({})}), {}, {0});
  expect_elements<float>(result_of("ConstantOfShape", {list({3, 0})}), {3, 0}, {});
  EXPECT_EQ(complaint_of("ConstantOfShape", {list({-1})}),
            "bad model or input: a shape has the negative dimension -1");
  EXPECT_EQ(complaint_of("ConstantOfShape", {list({kHighest})}).substr(0, 14), "quota exceeded");
  EXPECT_EQ(
      complaint_of("ConstantOfShape", {list({1})}, {{"value", kSix}}),
      "bad model or input: the value of ConstantOfShape has shape [2,3], expected one element");
}

TEST(Range, CountsUpAndDown) {
  const auto range = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return result_of("Range", {integers({}, {a}), integers({}, {b}), integers({}, {c})});
  };
  expect_elements<std::int64_t>(range(3, 9, 3), {2}, {3, 6});
  expect_elements<std::int64_t>(range(10, 4, -2), {3}, {10, 8, 6});
  expect_elements<std::int64_t>(range(3, 3, 1), {0}, {});
  expect_elements<std::int64_t>(range(3, 9, -1), {0}, {});
  expect_elements<std::int64_t>(range(kLowest, kHighest, kHighest), {3},
                                {kLowest, -1, kHighest - 1});
  expect_elements<std::int64_t>(range(kHighest, kLowest, kLowest), {2}, {kHighest, -1});
  expect_elements<float>(
      result_of("Range", {floats({}, {0}), floats({}, {1}), floats({}, {0.25F})}), {4},
      {0, 0.25F, 0.5F, 0.75F});
}

TEST(Range, RefusesWhatHasNoEnd) {
  const auto complaint = [](Tensor a, Tensor b, Tensor c) {
    return complaint_of("Range", {std::move(a), std::move(b), std::move(c)});
  };
  EXPECT_EQ(complaint(list({1}), list({2}), list({0})),
            "bad model or input: the delta of Range is 0");
  EXPECT_EQ(complaint(list({kLowest}), list({kHighest}), list({1})).substr(0, 14),
            "quota exceeded");
  EXPECT_EQ(complaint(floats({}, {0}), floats({}, {std::numeric_limits<float>::infinity()}),
                      floats({}, {1}))
                .substr(0, 14),
            "quota exceeded");
  EXPECT_EQ(complaint(floats({}, {0}), floats({}, {std::numeric_limits<float>::quiet_NaN()}),
                      floats({}, {1})),
            "bad model or input: the bounds of Range are not numbers");
  EXPECT_EQ(complaint(list({1, 2}), list({2}), list({1})),
            "bad model or input: input 0 of Range has shape [2], expected a scalar");
}

TEST(Concat, JoinsAlongAnAxis) {
  const Tensor b = integers({2, 1}, {7, 8});
  expect_elements<std::int64_t>(result_of("Concat", {kSix, b}, {{"axis", whole(-1)}}), {2, 4},
                                {1, 2, 3, 7, 4, 5, 6, 8});
  expect_elements<std::int64_t>(result_of("Concat", {kSix, kSix}, {{"axis", whole(0)}}), {4, 3},
                                {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6});
  expect_elements<std::int64_t>(
      result_of("Concat", {integers({2, 0}, {}), b}, {{"axis", whole(1)}}), {2, 1}, {7, 8});
  expect_elements<std::int64_t>(
      result_of("Concat", {integers({0, 2}, {}), integers({0, 1}, {})}, {{"axis", whole(1)}}),
      {0, 3}, {});
}

TEST(Concat, RefusesWhatDoesNotFit) {
  EXPECT_EQ(complaint_of("Concat", {kSix, list({1})}, {{"axis", whole(0)}}),
            "bad model or input: Concat joins shapes [2,3] and [1], which differ in rank");
  EXPECT_EQ(complaint_of("Concat", {kSix, integers({1, 2}, {1, 2})}, {{"axis", whole(0)}}),
            "bad model or input: Concat along axis 0 joins shapes [2,3] and [1,2], which differ "
            "elsewhere");
  EXPECT_EQ(complaint_of("Concat", {kSix, kSix}, {{"axis", whole(2)}}),
            "bad model or input: axis 2 of Concat is outside a tensor of rank 2");
  EXPECT_EQ(complaint_of("Concat", {integers({}, {1})}, {{"axis", whole(0)}}),
            "bad model or input: axis 0 of Concat is outside a tensor of rank 0");
  EXPECT_EQ(complaint_of("Concat", {kSix}),
            "bad model or input: Concat needs the attribute 'axis'");
}

TEST(Split, MakesParts) {
  const auto split = [](const std::vector<Tensor>& inputs, const Attributes& attributes,
                        std::size_t n) { return evaluate("Split", attributes, inputs, n); };
  const auto by_list = split({kSix, list({1, 2})}, {{"axis", whole(1)}}, 2);
  expect_elements<std::int64_t>(by_list[0], {2, 1}, {1, 4});
  expect_elements<std::int64_t>(by_list[1], {2, 2}, {2, 3, 5, 6});
  const auto uneven = split({list({1, 2, 3, 4, 5})}, {{"num_outputs", whole(3)}}, 3);
  expect_elements<std::int64_t>(uneven[1], {2}, {3, 4});
  expect_elements<std::int64_t>(uneven[2], {1}, {5});
  const auto equal = split({kSix}, {}, 2);
  expect_elements<std::int64_t>(equal[1], {1, 3}, {4, 5, 6});
  const auto thin = split({list({1, 2, 3, 4, 5})}, {{"num_outputs", whole(4)}}, 4);
  expect_elements<std::int64_t>(thin[3], {0}, {});
}

TEST(Split, RefusesPartsThatDoNotAddUp) {
  EXPECT_EQ(complaint_of("Split", {kSix, list({1, 1})}, {{"axis", whole(1)}}, 2),
            "bad model or input: Split makes parts of 2 elements from an axis of length 3");
  EXPECT_EQ(complaint_of("Split", {kSix, list({4, -1})}, {{"axis", whole(1)}}, 2),
            "bad model or input: Split makes a part of length -1");
  EXPECT_EQ(complaint_of("Split", {kSix, list({1, 1, 1})}, {{"axis", whole(1)}}, 2),
            "bad model or input: Split makes 3 parts for 2 outputs");
  EXPECT_EQ(complaint_of("Split", {kSix}, {{"num_outputs", whole(kHighest)}}, 2),
            "bad model or input: Split has 2 outputs and num_outputs=9223372036854775807");
}

RC_GTEST_PROP(Split, ConcatIsItsInverse, ()) {
  const auto dims = *rc::gen::container<Dims>(3, rc::gen::inRange<std::int64_t>(1, 5));
  const auto axis = *rc::gen::inRange<std::int64_t>(0, 3);
  std::vector<std::int64_t> elements(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::int64_t>(i);
  const Tensor x = Tensor::of<std::int64_t>(dims, std::span<const std::int64_t>(elements));
  const auto cut = *rc::gen::inRange<std::int64_t>(0, dims[static_cast<std::size_t>(axis)] + 1);
  const Attributes attributes = {{"axis", whole(axis)}};
  const auto parts =
      evaluate("Split", attributes,
               std::vector{x, list({cut, dims[static_cast<std::size_t>(axis)] - cut})}, 2);
  RC_ASSERT(identical(result_of("Concat", parts, attributes), x));
}

}  // namespace
}  // namespace braid
