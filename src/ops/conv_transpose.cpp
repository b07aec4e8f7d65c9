#include <algorithm>

#include <fmt/format.h>

#include "base/checked.h"
#include "ops/conv.h"
#include "ops/definitions.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/gemm_like.h"

namespace braid {
namespace {

/// The extents that the kernel reaches without padding: along each axis
/// stride * (input - 1) + output_padding + (kernel - 1) * dilation + 1.
Dims full_extents(const OpCall& call, const Window& window) {
  const Dims extra = per_axis(call, "output_padding", window.axes(), 0, 0);
  Dims full(window.axes());
  for (std::size_t i = 0; i < full.size(); ++i) {
    const std::int64_t reach =
        checked_add(checked_mul(window.kernel[i] - 1, window.dilations[i]), 1);
    full[i] = checked_add(checked_mul(window.strides[i], window.output[i] - 1),
                          checked_add(reach, extra[i]));
  }
  return full;
}

/// The extents that the attributes ask for, from which the padding follows; none if the padding is
/// given instead.
Dims wished_extents(const OpCall& call, const Window& window, AutoPad auto_pad) {
  const std::size_t axes = window.axes();
  Dims wished;
  if (call.attributes->has("output_shape")) {
    // Some exporters write N and C too.
    wished = call.attributes->integers("output_shape");
    if (wished.size() == axes + 2) wished.erase(wished.begin(), wished.begin() + 2);
    if (wished.size() != axes)
      raise(ErrorKind::Model,
            fmt::format("attribute 'output_shape' of ConvTranspose has {} entries, expected {}",
                        wished.size(), axes));
  } else if (auto_pad == AutoPad::SameUpper || auto_pad == AutoPad::SameLower) {
    for (std::size_t i = 0; i < axes; ++i)
      wished.push_back(checked_mul(window.output[i], window.strides[i]));
  }
  return wished;
}

void resolve_extents(const OpCall& call, Window& window) {
  const std::size_t axes = window.axes();
  const AutoPad auto_pad = read_auto_pad(call);
  const Dims full = full_extents(call, window);
  const Dims wished = wished_extents(call, window, auto_pad);
  read_pads(call, axes, window.pads_begin, window.pads_end);
  window.input.assign(axes, 0);
  for (std::size_t i = 0; i < axes; ++i) {
    if (!wished.empty()) {
      const std::int64_t total = std::max<std::int64_t>(0, full[i] - wished[i]);
      window.pads_begin[i] = auto_pad == AutoPad::SameUpper ? total / 2 : total - total / 2;
      window.pads_end[i] = total - window.pads_begin[i];
      window.input[i] = wished[i];
    } else {
      if (auto_pad == AutoPad::Valid) window.pads_begin[i] = window.pads_end[i] = 0;
      window.input[i] = full[i] - window.pads_begin[i] - window.pads_end[i];
    }
    if (window.input[i] < 1)
      raise(ErrorKind::Model,
            fmt::format("the output of ConvTranspose has extent {} along spatial axis {}",
                        window.input[i], i));
  }
}

}  // namespace

Dims ConvTransposeGeometry::output_dims() const {
  Dims dims = {batch, out_channels};
  dims.insert(dims.end(), window.input.begin(), window.input.end());
  return dims;
}

ConvTransposeGeometry conv_transpose_geometry(const OpCall& call) {
  const Dims& x = call.dims(0);
  const Dims& w = call.dims(1);
  ConvTransposeGeometry conv;
  conv.window.output = spatial_extents(call, x);
  const std::size_t axes = conv.window.output.size();
  conv.batch = x[0];
  conv.in_channels = x[1];
  conv.groups = call.attributes->integer("group", 1);
  if (w.size() != x.size() || w[0] != x[1])
    raise(ErrorKind::Model,
          fmt::format("the weight of ConvTranspose has shape {}, expected rank {} and {} first for "
                      "the input {}",
                      to_string(w), x.size(), x[1], to_string(x)));
  if (conv.groups < 1 || conv.in_channels % conv.groups != 0)
    raise(ErrorKind::Model, fmt::format("group {} of ConvTranspose does not divide its {} input "
                                        "channels",
                                        conv.groups, conv.in_channels));
  conv.out_channels = checked_mul(w[1], conv.groups);
  conv.window.kernel.assign(w.begin() + 2, w.end());
  if (call.attributes->has("kernel_shape") &&
      per_axis(call, "kernel_shape", axes, 0, 0) != conv.window.kernel)
    raise(ErrorKind::Model,
          fmt::format("attribute 'kernel_shape' {} of ConvTranspose differs from the weight's {}",
                      to_string(call.attributes->integers("kernel_shape")),
                      to_string(conv.window.kernel)));
  for (const std::int64_t extent : conv.window.kernel)
    if (extent < 1)
      raise(ErrorKind::Model,
            fmt::format("the weight {} of ConvTranspose has an empty kernel", to_string(w)));
  conv.window.strides = per_axis(call, "strides", axes, 1, 1);
  conv.window.dilations = per_axis(call, "dilations", axes, 1, 1);
  resolve_extents(call, conv.window);
  return conv;
}

namespace {

std::vector<TensorType> infer_conv_transpose(const OpCall& call) {
  const ConvTransposeGeometry conv = conv_transpose_geometry(call);
  common_element(call);
  if (call.has(2) && call.dims(2) != Dims{conv.out_channels})
    raise(ErrorKind::Model, fmt::format("the bias of ConvTranspose has shape {}, expected [{}]",
                                        to_string(call.dims(2)), conv.out_channels));
  return {{call.input(0).element, conv.output_dims()}};
}

Work conv_transpose_work(const OpCall& call) {
  const ConvTransposeGeometry conv = conv_transpose_geometry(call);
  Work work;
  work.macs = static_cast<double>(element_count(call.input(0))) *
              static_cast<double>(conv.out_channels_of_group());
  for (const std::int64_t k : conv.window.kernel) work.macs *= static_cast<double>(k);
  work.flops = 2 * work.macs;
  if (call.has(2)) work.flops += static_cast<double>(element_count(conv.output_dims()));
  return work;
}

Footprint conv_transpose_footprint(const OpCall& call) {
  const ConvTransposeGeometry conv = conv_transpose_geometry(call);
  return gemm_footprint(checked_mul(conv.batch, element_count(conv.window.input)),
                        conv.out_channels_of_group(), conv.groups);
}

/// Spreads one input channel, multiplied by one kernel slice, over one output channel.
template <class Sum>
void scatter_channel(const Window& w, const Sum* kernel, const Sum* in, Sum* out) {
  const std::int64_t stride = w.strides[2];
  for_each_tap(w, [&](std::int64_t tap, const TapRow& row) {
    const Sum factor = kernel[tap];
    const Sum* from = in + row.output;
    for (std::int64_t k = row.columns.first; k < row.columns.last; ++k)
      out[row.input + k * stride] += factor * from[k];
  });
}

template <class T>
void spread_all(const ConvTransposeGeometry& conv, std::span<const Tensor> inputs, bool has_bias,
                std::span<T> result) {
  using Sum = Accumulator<T>;
  const Window w = with_three_axes(conv.window);
  const Widened<T> x(inputs[0].data<T>());
  const Widened<T> weight(inputs[1].data<T>());
  const std::int64_t in_size = element_count(w.output);
  const std::int64_t taps = element_count(w.kernel);
  const std::int64_t depth = conv.in_channels_of_group();
  const std::int64_t width = conv.out_channels_of_group();
  std::vector<Sum> sums(static_cast<std::size_t>(element_count(w.input)));
  std::size_t at = 0;
  for (std::int64_t n = 0; n < conv.batch; ++n)
    for (std::int64_t o = 0; o < conv.out_channels; ++o) {
      Sum bias = 0;
      if (has_bias) bias = static_cast<Sum>(load(inputs[2].data<T>()[static_cast<std::size_t>(o)]));
      std::fill(sums.begin(), sums.end(), bias);
      for (std::int64_t c = 0; c < depth; ++c) {
        const std::int64_t channel = o / width * depth + c;
        scatter_channel(w, weight.data() + (channel * width + o % width) * taps,
                        x.data() + (n * conv.in_channels + channel) * in_size, sums.data());
      }
      for (const Sum sum : sums) result[at++] = store<T>(sum);
    }
}

std::vector<Tensor> evaluate_conv_transpose(const OpCall& call, std::span<const Tensor> inputs) {
  const ConvTransposeGeometry conv = conv_transpose_geometry(call);
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    spread_all<T>(conv, inputs, call.has(2), out.mutable_data<T>());
  });
  return {out};
}

}  // namespace

std::vector<OpDef> conv_transpose_ops() {
  OpDef def;
  def.name = "ConvTranspose";
  def.weight_axis = 1;
  def.versions = {1, 11, 22};
  def.min_inputs = 2;
  def.max_inputs = 3;
  def.attributes = {
      {"auto_pad", AttributeKind::Text},           {"dilations", AttributeKind::Integers},
      {"group", AttributeKind::Integer},           {"kernel_shape", AttributeKind::Integers},
      {"output_padding", AttributeKind::Integers}, {"output_shape", AttributeKind::Integers},
      {"pads", AttributeKind::Integers},           {"strides", AttributeKind::Integers}};
  def.types = kNumbers;
  def.infer = infer_conv_transpose;
  def.work = conv_transpose_work;
  def.footprint = conv_transpose_footprint;
  def.evaluate = evaluate_conv_transpose;
  return {def};
}

}  // namespace braid
