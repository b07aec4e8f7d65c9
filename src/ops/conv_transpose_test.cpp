#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ops/conv.h"
#include "ops/testing/calls.h"

namespace braid {
namespace {

using List = std::vector<std::int64_t>;

const Tensor kRow = floats({1, 1, 3}, {1, 2, 3});
const Tensor kW = floats({1, 1, 3}, {1, 10, 100});

TEST(ConvTranspose, SpreadsEachInput) {
  Attributes attributes = {{"strides", List{2}}};
  expect_elements<float>(result_of("ConvTranspose", {kRow, kW}, attributes), {1, 1, 7},
                         {1, 10, 102, 20, 203, 30, 300});
  attributes.set("pads", List{1, 0});
  attributes.set("output_padding", List{1});
  expect_elements<float>(result_of("ConvTranspose", {kRow, kW}, attributes), {1, 1, 7},
                         {10, 102, 20, 203, 30, 300, 0});
}

TEST(ConvTranspose, FindsThePaddingForAWishedShape) {
  expect_elements<float>(
      result_of("ConvTranspose", {kRow, kW}, {{"strides", List{2}}, {"output_shape", List{6}}}),
      {1, 1, 6}, {10, 102, 20, 203, 30, 300});
  expect_elements<float>(result_of("ConvTranspose", {kRow, kW},
                                   {{"strides", List{2}}, {"auto_pad", std::string("SAME_UPPER")}}),
                         {1, 1, 6}, {1, 10, 102, 20, 203, 30});
}

TEST(ConvTranspose, KeepsGroupsApart) {
  const Tensor x = floats({1, 2, 1}, {1, 2});
  const Tensor w = floats({2, 1, 2}, {1, 10, 3, 30});
  expect_elements<float>(
      result_of("ConvTranspose", {x, w, floats({2}, {100, 200})}, {{"group", std::int64_t{2}}}),
      {1, 2, 2}, {101, 110, 206, 260});
}

TEST(ConvTranspose, RefusesWhatDoesNotFit) {
  EXPECT_EQ(complaint_of("ConvTranspose", {kRow, floats({2, 1, 1}, {1, 2})}),
            "bad model or input: the weight of ConvTranspose has shape [2,1,1], expected rank 3 "
            "and 1 first for the input [1,1,3]");
  EXPECT_EQ(complaint_of("ConvTranspose", {kRow, kW}, {{"pads", List{3, 3}}}),
            "bad model or input: the output of ConvTranspose has extent -1 along spatial axis 0");
  EXPECT_EQ(complaint_of("ConvTranspose", {kRow, kW}, {{"output_shape", List{6, 6}}}),
            "bad model or input: attribute 'output_shape' of ConvTranspose has 2 entries, "
            "expected 1");
}

/// The definition of a transpose: <Conv(x), y> = <x, ConvTranspose(y)> with the same weight.
TEST(ConvTranspose, IsTheTransposeOfConv) {
  rc::check([] {
    const auto pick = [](std::int64_t low, std::int64_t high) {
      return *rc::gen::inRange<std::int64_t>(low, high + 1);
    };
    const auto tensor = [](Dims dims) {
      std::vector<std::int64_t> elements(static_cast<std::size_t>(element_count(dims)));
      for (std::int64_t& x : elements) x = *rc::gen::inRange<std::int64_t>(-9, 10);
      return Tensor::of<std::int64_t>(std::move(dims), std::span(std::as_const(elements)));
    };
    const std::int64_t groups = pick(1, 2);
    Dims x = {1, groups * pick(1, 2)};
    Dims w = {groups * pick(1, 2), x[1] / groups};
    List strides;
    List dilations;
    List pads(4);
    List extra;
    for (std::size_t i = 0; i < 2; ++i) {
      strides.push_back(pick(1, 3));
      dilations.push_back(pick(1, 2));
      w.push_back(pick(1, 3));
      pads[i] = pick(0, 1);
      pads[i + 2] = pick(0, 1);
      const std::int64_t reach = (w.back() - 1) * dilations[i] + 1;
      const std::int64_t padded = reach + pick(0, 5);
      x.push_back(std::max<std::int64_t>(1, padded - pads[i] - pads[i + 2]));
      extra.push_back((x.back() + pads[i] + pads[i + 2] - reach) % strides[i]);
    }
    Attributes attributes = {
        {"group", groups}, {"strides", strides}, {"dilations", dilations}, {"pads", pads}};
    const Tensor x_tensor = tensor(x);
    const Tensor w_tensor = tensor(w);
    const Tensor conv = result_of("Conv", {x_tensor, w_tensor}, attributes);
    const Tensor y = tensor(conv.dims());
    attributes.set("output_padding", extra);
    const Tensor back = result_of("ConvTranspose", {y, w_tensor}, attributes);
    RC_ASSERT(back.dims() == x);
    const auto dot = [](const Tensor& a, const Tensor& b) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < a.data<std::int64_t>().size(); ++i)
        sum += a.data<std::int64_t>()[i] * b.data<std::int64_t>()[i];
      return sum;
    };
    RC_ASSERT(dot(conv, y) == dot(x_tensor, back));
  });
}

}  // namespace
}  // namespace braid
