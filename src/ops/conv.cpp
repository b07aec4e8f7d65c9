#include "ops/conv.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.h"
#include "ops/definitions.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/epilogue.h"
#include "ops/shared/gemm_like.h"

namespace braid {

Dims ConvGeometry::output_dims() const {
  Dims dims = {batch, out_channels};
  dims.insert(dims.end(), window.output.begin(), window.output.end());
  return dims;
}

bool is_pointwise(const Window& window) {
  const auto all_are = [](const Dims& dims, std::int64_t number) {
    return std::ranges::all_of(dims, [=](std::int64_t d) { return d == number; });
  };
  return all_are(window.kernel, 1) && all_are(window.strides, 1) && all_are(window.pads_begin, 0) &&
         all_are(window.pads_end, 0);
}

ConvGeometry conv_geometry(const OpCall& call) {
  const Dims& x = call.dims(0);
  const Dims& w = call.dims(1);
  ConvGeometry conv;
  const Dims spatial = spatial_extents(call, x);
  if (w.size() != x.size())
    raise(ErrorKind::Model, fmt::format("the weight of Conv has shape {}, expected rank {} as the "
                                        "input {}",
                                        to_string(w), x.size(), to_string(x)));
  conv.batch = x[0];
  conv.in_channels = x[1];
  conv.out_channels = w[0];
  conv.groups = call.attributes->integer("group", 1);
  if (conv.groups < 1 || conv.in_channels % conv.groups != 0 ||
      conv.out_channels % conv.groups != 0)
    raise(ErrorKind::Model, fmt::format("group {} of Conv does not divide its {} input and {} "
                                        "output channels",
                                        conv.groups, conv.in_channels, conv.out_channels));
  if (w[1] != conv.in_channels_of_group())
    raise(ErrorKind::Model,
          fmt::format("the weight {} of Conv reads {} channels per group, but the input {} in {} "
                      "groups has {}",
                      to_string(w), w[1], to_string(x), conv.groups, conv.in_channels_of_group()));
  const Dims kernel(w.begin() + 2, w.end());
  if (per_axis(call, "kernel_shape", kernel.size(), 0, 0) != kernel &&
      call.attributes->has("kernel_shape"))
    raise(ErrorKind::Model,
          fmt::format("attribute 'kernel_shape' {} of Conv differs from the weight's {}",
                      to_string(call.attributes->integers("kernel_shape")), to_string(kernel)));
  conv.window = read_window(call, kernel, spatial);
  return conv;
}

namespace {

void check_operands(const OpCall& call, const ConvGeometry& conv) {
  common_element(call);
  if (call.has(2) && call.dims(2) != Dims{conv.out_channels})
    raise(ErrorKind::Model, fmt::format("the bias of Conv has shape {}, expected [{}]",
                                        to_string(call.dims(2)), conv.out_channels));
}

std::vector<TensorType> infer_conv(const OpCall& call) {
  const ConvGeometry conv = conv_geometry(call);
  check_operands(call, conv);
  read_epilogue(call);
  const TensorType output = {call.input(0).element, conv.output_dims()};
  check_residual(call, output);
  return {output};
}

Work conv_work(const OpCall& call) {
  const ConvGeometry conv = conv_geometry(call);
  const auto outputs = static_cast<double>(element_count(conv.output_dims()));
  Work work;
  work.macs = outputs * static_cast<double>(conv.in_channels_of_group());
  for (const std::int64_t k : conv.window.kernel) work.macs *= static_cast<double>(k);
  work.flops = 2 * work.macs + outputs * epilogue_flops(call);
  return work;
}

Footprint conv_footprint(const OpCall& call) {
  const ConvGeometry conv = conv_geometry(call);
  const std::int64_t pixels = checked_mul(conv.batch, element_count(conv.window.output));
  if (conv.in_channels_of_group() == 1 && conv.out_channels_of_group() == 1)
    return one_output_per_thread(checked_mul(pixels, conv.out_channels));
  return gemm_footprint(pixels, conv.out_channels_of_group(), conv.groups);
}

/// Adds one input channel, multiplied by one kernel slice, to one output channel.
template <class Sum>
void accumulate_channel(const Window& w, const Sum* kernel, const Sum* in, Sum* out) {
  const std::int64_t stride = w.strides[2];
  for_each_tap(w, [&](std::int64_t tap, const TapRow& row) {
    const Sum factor = kernel[tap];
    Sum* to = out + row.output;
    for (std::int64_t k = row.columns.first; k < row.columns.last; ++k)
      to[k] += factor * in[row.input + k * stride];
  });
}

template <class T>
void convolve(const ConvGeometry& conv, const Epilogue& epilogue, std::span<const Tensor> inputs,
              std::span<T> result) {
  using Sum = Accumulator<T>;
  const Window w = with_three_axes(conv.window);
  const Widened<T> x(inputs[0].data<T>());
  const Widened<T> weight(inputs[1].data<T>());
  const std::int64_t in_size = element_count(w.input);
  const std::int64_t out_size = element_count(w.output);
  const std::int64_t taps = element_count(w.kernel);
  const std::int64_t depth = conv.in_channels_of_group();
  std::vector<Sum> sums(static_cast<std::size_t>(out_size));
  std::size_t at = 0;
  for (std::int64_t n = 0; n < conv.batch; ++n)
    for (std::int64_t o = 0; o < conv.out_channels; ++o) {
      const std::int64_t group = o / conv.out_channels_of_group();
      const Sum bias =
          epilogue.bias ? static_cast<Sum>(load(inputs[2].data<T>()[static_cast<std::size_t>(o)]))
                        : Sum(0);
      std::fill(sums.begin(), sums.end(), bias);
      for (std::int64_t c = 0; c < depth; ++c)
        accumulate_channel(w, weight.data() + (o * depth + c) * taps,
                           x.data() + (n * conv.in_channels + group * depth + c) * in_size,
                           sums.data());
      for (const Sum sum : sums) {
        write_result(epilogue, inputs, sum, at, result);
        ++at;
      }
    }
}

std::vector<Tensor> evaluate_conv(const OpCall& call, std::span<const Tensor> inputs) {
  const ConvGeometry conv = conv_geometry(call);
  const Epilogue epilogue = read_epilogue(call);
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    convolve<T>(conv, epilogue, inputs, out.mutable_data<T>());
  });
  return {out};
}

}  // namespace

std::vector<OpDef> conv_ops() {
  OpDef def;
  def.name = "Conv";
  def.takes_epilogue = true;
  def.weight_axis = 1;
  def.versions = {1, 11, 22};
  def.min_inputs = 2;
  def.max_inputs = 4;
  def.attributes = with_epilogue_attributes({{"auto_pad", AttributeKind::Text},
                                             {"dilations", AttributeKind::Integers},
                                             {"group", AttributeKind::Integer},
                                             {"kernel_shape", AttributeKind::Integers},
                                             {"pads", AttributeKind::Integers},
                                             {"strides", AttributeKind::Integers}});
  def.special_numbers =
      "weights that are NaN or infinite may or may not meet the zeros of the padding, "
      "which depends on the kernel; in ONNX Runtime they do";
  def.types = kNumbers;
  def.infer = infer_conv;
  def.work = conv_work;
  def.footprint = conv_footprint;
  def.evaluate = evaluate_conv;
  def.expand = expand_epilogue;
  def.needs_expansion = has_epilogue_in;
  return {def};
}

}  // namespace braid
