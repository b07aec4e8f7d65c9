#include <algorithm>

#include "ops/call.h"
#include "ops/separable_conv.h"
#include "tests/ops/generators.h"

namespace braid {
namespace {

/// A window over one to three spatial axes, and input extents that it fits, nearly always.
struct WindowDraw {
  Dims kernel;
  Dims strides;
  Dims dilations;
  Dims pads;
  Dims input;
};

/// Sets the attributes strides, dilations, and pads or auto_pad, some of them by being absent.
WindowDraw draw_window(Draw& draw, Case& c) {
  const std::int64_t axes = draw.integer(1, 3);
  WindowDraw w;
  w.kernel = draw.integers(axes, 1, 3);
  w.strides = draw.chance() ? Dims(static_cast<std::size_t>(axes), 1) : draw.integers(axes, 1, 3);
  w.dilations = draw.chance() ? Dims(static_cast<std::size_t>(axes), 1) : draw.integers(axes, 1, 2);
  w.pads = draw.chance() ? Dims(static_cast<std::size_t>(2 * axes), 0)
                         : draw.integers(2 * axes, 0, draw.chance(0.3) ? 4 : 1);
  if (draw.chance(0.3)) {
    c.attributes.set("auto_pad", draw.text_of({"SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"}));
    w.pads.assign(w.pads.size(), 0);
  } else if (std::ranges::count(w.pads, 0) < std::ssize(w.pads)) {
    c.attributes.set("pads", w.pads);
  }
  if (std::ranges::count(w.strides, 1) < axes) c.attributes.set("strides", w.strides);
  if (std::ranges::count(w.dilations, 1) < axes) c.attributes.set("dilations", w.dilations);
  for (std::size_t i = 0; i < w.kernel.size(); ++i) {
    const std::int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    const std::int64_t padding = w.pads[i] + w.pads[i + w.kernel.size()];
    const std::int64_t least = std::max<std::int64_t>(0, reach - padding);
    // Padding alone is input enough for a window.
    w.input.push_back(least == 0 && draw.extent() == 0
                          ? 0
                          : std::max<std::int64_t>(1, least) + draw.integer(0, 4));
  }
  return w;
}

Dims joined(Dims head, const Dims& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

Case convolution(Draw& draw, const OpDef& def) {
  Case c{.op = std::string(def.name), .inputs = {}};
  const WindowDraw w = draw_window(draw, c);
  const bool transposed = c.op == "ConvTranspose";
  const bool depthwise = draw.chance(0.2);
  const std::int64_t groups = depthwise ? draw.integer(2, 5) : draw.one_of<std::int64_t>({1, 1, 2});
  const std::int64_t in = depthwise ? 1 : draw.extent(3);
  const std::int64_t out = depthwise ? 1 : draw.extent(3);
  if (groups != 1 || draw.chance()) c.attributes.set("group", groups);
  if (draw.chance()) c.attributes.set("kernel_shape", w.kernel);
  const ElementType element = draw.element(def.types);
  const Dims weight = transposed ? Dims{in * groups, out} : Dims{out * groups, in};
  c.inputs = {draw.tensor(element, joined({draw.extent(2), in * groups}, w.input)),
              draw.tensor(element, joined(weight, w.kernel))};
  if (draw.chance()) c.inputs.push_back(draw.tensor(element, {out * groups}));
  if (transposed && draw.chance(0.3))
    c.attributes.set("output_padding", draw.integers(std::ssize(w.kernel), 0, 1));
  if (transposed && draw.chance(0.2)) {
    Dims wish = w.input;
    for (std::size_t i = 0; i < wish.size(); ++i)
      wish[i] = wish[i] * w.strides[i] + draw.integer(0, 2);
    c.attributes.set("output_shape", wish);
  }
  return c;
}

Case fused_convolution(Draw& draw, const OpDef& def) {
  Case c = convolution(draw, def);
  add_epilogue(draw, c);
  return c;
}

Case separable_convolution(Draw& draw, const OpDef& def) {
  Case c{.op = std::string(def.name), .inputs = {}};
  const WindowDraw w = draw_window(draw, c);
  const std::int64_t channels = draw.integer(1, 9);
  const std::int64_t columns = draw.extent(9);
  const ElementType element = draw.element(def.types);
  c.inputs = {draw.tensor(element, joined({draw.extent(2), channels}, w.input)),
              draw.tensor(element, joined({channels, 1}, w.kernel)),
              draw.tensor(element, joined({columns, channels}, Dims(w.kernel.size(), 1)))};
  if (draw.chance()) c.inputs.push_back(draw.tensor(element, {channels}));
  if (draw.chance()) c.attributes.set("depthwise_activation", draw.text_of({"relu", "clip"}));
  if (draw.chance()) c.attributes.set("activation", draw.text_of({"relu", "clip"}));
  const TensorType type = evaluate(c.op, c.attributes, c.inputs)[0].type();
  if (draw.chance()) {
    c.inputs.resize(SeparableInput::kPointwiseBias);
    c.inputs.push_back(draw.tensor(element, {columns}));
  }
  if (draw.chance()) {
    c.inputs.resize(SeparableInput::kResidual);
    c.inputs.push_back(draw.tensor(type));
  }
  return c;
}

Case pool(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  if (c.attributes.has("p")) c.attributes.set("p", draw.integer(1, 3));
  const WindowDraw w = draw_window(draw, c);
  c.attributes.set("kernel_shape", w.kernel);
  c.inputs = {
      draw.tensor(draw.element(def.types), joined({draw.extent(2), draw.extent()}, w.input))};
  if (c.op == "MaxPool") c.outputs = static_cast<std::size_t>(draw.integer(1, 2));
  return c;
}

Case global_pool(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  if (c.attributes.has("p")) c.attributes.set("p", draw.integer(1, 3));
  c.inputs = {draw.tensor(draw.element(def.types), draw.dims(2, 5))};
  return c;
}

}  // namespace

std::vector<Generator> window_generators() {
  using enum Exactness;
  return {
      {"AveragePool", pool},
      {"Conv", fused_convolution, OnWhole},
      {"ConvTranspose", convolution, OnWhole},
      {"GlobalAveragePool", global_pool},
      {"GlobalLpPool", global_pool},
      {"GlobalMaxPool", global_pool, Always},
      {"LpPool", pool},
      {"MaxPool", pool, Always},
      {"SeparableConv", separable_convolution, OnWhole},
  };
}

}  // namespace braid
