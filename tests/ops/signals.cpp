#include "ops/shared/onnx_type.h"
#include "tests/ops/generators.h"

namespace braid {
namespace {

Tensor number(Draw& draw, std::int64_t x) {
  return draw.tensor_between(draw.index_type(), draw.chance() ? Dims{} : Dims{1}, x, x);
}

Case dft(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const bool inverse = c.attributes.integer("inverse", 0) != 0;
  const bool onesided = c.attributes.integer("onesided", 0) != 0;
  Dims dims = draw.dims(2, 4);
  dims.back() = onesided ? (inverse ? 2 : 1) : draw.integer(1, 2);
  const bool names_axis = draw.chance();
  const auto axis = names_axis ? draw.integer(0, std::ssize(dims) - 2) : std::ssize(dims) - 2;
  const bool names_length = draw.chance();
  std::int64_t& signal = dims[static_cast<std::size_t>(axis)];
  // A transform has a length, given or the signal's own.
  if (!names_length && signal < 2) signal = 2;
  c.inputs = {draw.tensor(draw.element(def.types), dims)};
  if (names_length) c.inputs.push_back(number(draw, draw.integer(1, 6)));
  if (names_axis) {
    c.inputs.resize(2);
    c.inputs.push_back(number(draw, draw.chance() ? axis : axis - std::ssize(dims)));
  }
  return c;
}

Case stft(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const bool onesided = c.attributes.integer("onesided", 1) != 0;
  const std::int64_t length = draw.integer(1, 8);
  const std::int64_t frame = draw.integer(1, length);
  const ElementType element = draw.element(def.types);
  Dims signal = {draw.extent(), length};
  if (draw.chance(0.7)) signal.push_back(onesided ? 1 : draw.integer(1, 2));
  c.inputs = {draw.tensor(element, signal), number(draw, draw.integer(1, 4))};
  const bool windowed = draw.chance();
  c.inputs.push_back(windowed ? draw.tensor(element, {frame}) : Tensor{});
  if (!windowed || draw.chance()) c.inputs.push_back(number(draw, frame));
  return c;
}

Case signal_window(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  if (c.attributes.has("output_datatype"))
    c.attributes.set("output_datatype", onnx_type(draw.element(kNumbers)));
  c.inputs = {number(draw, draw.extent(9))};
  return c;
}

}  // namespace

std::vector<Generator> signal_generators() {
  return {
      {.op = "BlackmanWindow", .generate = signal_window, .takes_scalars = true},
      {"DFT", dft},
      {.op = "HammingWindow", .generate = signal_window, .takes_scalars = true},
      {.op = "HannWindow", .generate = signal_window, .takes_scalars = true},
      {"STFT", stft},
  };
}

}  // namespace braid
