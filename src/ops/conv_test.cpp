#include "ops/conv.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ops/builder.h"
#include "ops/testing/calls.h"
#include "tensor/element.h"

namespace braid {
namespace {

Tensor counting(Dims dims, std::int64_t step = 7) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<std::int64_t>(i) * step % 11 - 5;
  return Tensor::of<std::int64_t>(std::move(dims), std::span<const std::int64_t>(elements));
}

TEST(Conv, ReadsAcrossPaddingStrideAndDilation) {
  // Taps of output o: x[2o-1] and x[2o+1]; zero outside.
  const Tensor x = floats({1, 2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor w = floats({1, 2, 2}, {1, 2, -1, 3});
  const Tensor y = result_of("Conv", {x, w},
                             {{"pads", std::vector<std::int64_t>{1, 0}},
                              {"strides", std::vector<std::int64_t>{2}},
                              {"dilations", std::vector<std::int64_t>{2}}});
  expect_elements<float>(y, {1, 1, 2}, {20, 25});
}

TEST(Conv, AddsBiasThenResidualThenActivates) {
  const Tensor x = floats({1, 1, 1, 2}, {1, -3});
  const Tensor w = floats({1, 1, 1, 1}, {2});
  const Tensor bias = floats({1}, {1});
  const Tensor residual = floats({1, 1, 1, 2}, {10, -10});
  expect_elements<float>(
      result_of("Conv", {x, w, bias, residual}, {{"activation", std::string("relu")}}),
      {1, 1, 1, 2}, {13, 0});
  expect_elements<float>(result_of("Conv", {x, w, Tensor{}, residual}), {1, 1, 1, 2}, {12, -16});
}

TEST(Conv, WrapsIntegersAround) {
  const Tensor x = Tensor::of<std::int8_t>({1, 1, 1}, {100});
  const Tensor w = Tensor::of<std::int8_t>({1, 1, 1}, {3});
  expect_elements<std::int8_t>(result_of("Conv", {x, w}), {1, 1, 1}, {44});
}

TEST(Conv, ComputesHalvesInFloat) {
  const auto half = [](float x) { return to_float16(x); };
  const Tensor x = Tensor::of<Float16>({1, 2, 1}, {half(2048), half(1)});
  const Tensor w = Tensor::of<Float16>({1, 2, 1}, {half(1), half(1)});
  const Tensor bias = Tensor::of<Float16>({1}, {half(1)});
  EXPECT_EQ(to_float(result_of("Conv", {x, w, bias}).data<Float16>()[0]), 2050);
}

TEST(Conv, PadsToTheSameSize) {
  const Tensor x = floats({1, 1, 4}, {1, 2, 3, 4});
  const Tensor w = floats({1, 1, 2}, {1, 10});
  expect_elements<float>(result_of("Conv", {x, w}, {{"auto_pad", std::string("SAME_UPPER")}}),
                         {1, 1, 4}, {21, 32, 43, 4});
  expect_elements<float>(result_of("Conv", {x, w}, {{"auto_pad", std::string("SAME_LOWER")}}),
                         {1, 1, 4}, {10, 21, 32, 43});
  expect_elements<float>(result_of("Conv", {x, w}, {{"auto_pad", std::string("VALID")}}), {1, 1, 3},
                         {21, 32, 43});
}

TEST(Conv, RefusesWhatDoesNotFit) {
  const Tensor x = counting({1, 4, 5, 5});
  const Tensor w = counting({6, 2, 3, 3});
  const auto with = [&](std::string_view name, Attribute value) {
    Attributes attributes = {{"group", std::int64_t{2}}};
    attributes.set(name, std::move(value));
    return complaint_of("Conv", {x, w}, attributes);
  };
  EXPECT_EQ(with("group", std::int64_t{2}), "no error");
  EXPECT_EQ(
      with("group", std::int64_t{1}),
      "bad model or input: the weight [6,2,3,3] of Conv reads 2 channels per group, but the input "
      "[1,4,5,5] in 1 groups has 4");
  EXPECT_EQ(
      with("group", std::int64_t{0}),
      "bad model or input: group 0 of Conv does not divide its 4 input and 6 output channels");
  EXPECT_EQ(with("strides", std::vector<std::int64_t>{1, 0}),
            "bad model or input: attribute 'strides' of Conv contains 0, expected 1 to 2147483648");
  EXPECT_EQ(with("pads", std::vector<std::int64_t>{1, 1, 1}),
            "bad model or input: attribute 'pads' of Conv has 3 entries, expected 4");
  EXPECT_EQ(with("pads", std::int64_t{-1}),
            "bad model or input: attribute 'pads' of Conv contains -1, expected 0 to 2147483648");
  EXPECT_EQ(with("dilations", std::int64_t{3}),
            "bad model or input: the window of Conv spans 7 elements of spatial axis 0, but the "
            "padded input "
            "has 5");
  EXPECT_EQ(
      with("kernel_shape", std::int64_t{2}),
      "bad model or input: attribute 'kernel_shape' [2] of Conv differs from the weight's [3,3]");
  EXPECT_EQ(
      with("auto_pad", std::string("SOME")),
      "bad model or input: attribute 'auto_pad' of Conv is 'SOME', expected NOTSET, SAME_UPPER, "
      "SAME_LOWER or VALID");
  EXPECT_EQ(with("activation", std::string("gelu")),
            "unsupported: activation 'gelu' of Conv is not defined on elements of type i64");
  EXPECT_EQ(complaint_of("Conv", {x, w, counting({5})}, {{"group", std::int64_t{2}}}),
            "bad model or input: the bias of Conv has shape [5], expected [6]");
  EXPECT_EQ(
      complaint_of("Conv", {x, w, Tensor{}, counting({1, 6, 3, 1})}, {{"group", std::int64_t{2}}}),
      "bad model or input: the residual of Conv has type i64[1,6,3,1], expected the output's "
      "i64[1,6,3,3]");
}

TEST(Conv, CountsItsWork) {
  const Graph graph = parse("x: f32[2,8,10,10]\ny = Conv(x, w: f32[4,2,3,3], b: f32[4]) group=4");
  const Work found = work(graph, graph.node_ids()[0]);
  EXPECT_EQ(found.macs, 2.0 * 4 * 8 * 8 * 2 * 9);
  EXPECT_EQ(found.flops, 2 * found.macs + 2 * 4 * 8 * 8);
  EXPECT_EQ(found.bytes_read, 4 * (2 * 8 * 100 + 4 * 2 * 9 + 4));
  EXPECT_EQ(found.bytes_written, 4 * 2 * 4 * 64);
}

/// The definition, one output element at a time, for any number of axes.
std::int64_t direct(const Tensor& x, const Tensor& w, const ConvGeometry& conv,
                    const Dims& output) {
  const auto flat = [](const Dims& dims, const Dims& at) {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) index = index * dims[i] + at[i];
    return static_cast<std::size_t>(index);
  };
  const std::int64_t first = output[1] / (conv.out_channels / conv.groups) * w.dims()[1];
  std::int64_t sum = 0;
  for (std::int64_t tap = 0; tap < w.elements() / w.dims()[0]; ++tap) {
    Dims weight_at(w.dims().size());
    std::int64_t rest = tap;
    for (std::size_t i = w.dims().size(); i-- > 1; rest /= w.dims()[i])
      weight_at[i] = rest % w.dims()[i];
    weight_at[0] = output[1];
    Dims x_at = {output[0], first + weight_at[1]};
    bool inside = true;
    for (std::size_t i = 0; i < conv.window.axes(); ++i) {
      x_at.push_back(output[i + 2] * conv.window.strides[i] - conv.window.pads_begin[i] +
                     weight_at[i + 2] * conv.window.dilations[i]);
      inside = inside && x_at.back() >= 0 && x_at.back() < x.dims()[i + 2];
    }
    if (inside)
      sum += x.data<std::int64_t>()[flat(x.dims(), x_at)] *
             w.data<std::int64_t>()[flat(w.dims(), weight_at)];
  }
  return sum;
}

TEST(Conv, EqualsItsDefinition) {
  rc::check([] {
    const auto pick = [](std::int64_t low, std::int64_t high) {
      return *rc::gen::inRange<std::int64_t>(low, high + 1);
    };
    const auto axes = static_cast<std::size_t>(pick(1, 3));
    const std::int64_t groups = pick(1, 3);
    Dims x_dims = {pick(1, 2), groups * pick(1, 2)};
    Dims w_dims = {groups * pick(1, 2), x_dims[1] / groups};
    Dims strides;
    Dims dilations;
    Dims pads(2 * axes);
    for (std::size_t i = 0; i < axes; ++i) {
      w_dims.push_back(pick(1, 3));
      strides.push_back(pick(1, 3));
      dilations.push_back(pick(1, 2));
      pads[i] = pick(0, 3);
      pads[i + axes] = pick(0, 3);
      const std::int64_t reach = (w_dims.back() - 1) * dilations[i] + 1;
      x_dims.push_back(std::max<std::int64_t>(1, reach - pads[i] - pads[i + axes]) + pick(0, 4));
    }
    const Attributes attributes = {
        {"group", groups}, {"strides", strides}, {"dilations", dilations}, {"pads", pads}};
    const Tensor x = counting(x_dims);
    const Tensor w = counting(w_dims, 5);
    OpCall call;
    call.op = "Conv";
    call.attributes = &attributes;
    call.inputs = {&x.type(), &w.type()};
    const ConvGeometry conv = conv_geometry(call);
    const Tensor y = result_of("Conv", {x, w}, attributes);
    RC_ASSERT(y.dims() == conv.output_dims());
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      Dims at(y.dims().size());
      std::int64_t rest = i;
      for (std::size_t k = at.size(); k-- > 0; rest /= y.dims()[k]) at[k] = rest % y.dims()[k];
      RC_ASSERT(y.data<std::int64_t>()[static_cast<std::size_t>(i)] == direct(x, w, conv, at));
    }
  });
}

}  // namespace
}  // namespace braid
