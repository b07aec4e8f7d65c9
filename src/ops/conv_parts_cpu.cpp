#include "ops/conv_parts_cpu.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tensor/passing_tensors.h"

namespace braid::cpu {
namespace {

/// How much of the output the larger of two parts has.
double larger_share(const TensorType& output, const Cut& cut) {
  const CutRange first = cut_range(output, cut, 0, 2);
  return static_cast<double>(first.end - first.begin) /
         static_cast<double>(output.dims[static_cast<std::size_t>(cut.axis)]);
}

}  // namespace

ConvPart conv_part(const ConvGeometry& conv, const TensorType& output, const Part& part) {
  const Window window = with_three_axes(conv.window);
  const std::int64_t rows = window.output[0] * window.output[1];
  ConvPart own{{0, conv.batch}, {0, rows}, {0, conv.out_channels}};
  if (part.count == 1) return own;
  const CutRange range = cut_range(output, part.cut, part.index, part.count);
  if (part.cut.axis == 0) own.images = range;
  if (part.cut.axis == 1) own.channels = range;
  if (part.cut.axis == 2) {
    const std::int64_t rows_of_one = rows / conv.window.output[0];
    own.rows = {range.begin * rows_of_one, range.end * rows_of_one};
  }
  return own;
}

Way conv_way(const OpCall& call, const ConvGeometry& conv, std::string_view implementation,
             std::int64_t grain) {
  Way way;
  way.implementation = implementation;
  way.packed_inputs = {1};
  way.takes_pitch = true;
  if (conv.batch > 1)
    way.cuts.push_back({.axis = 0});
  else if (conv.window.axes() > 1 && conv.window.output[0] > 1)
    way.cuts.push_back({.axis = 2});
  if (conv.out_channels > grain) way.cuts.push_back({.axis = 1, .grain = grain});
  const TensorType& output = call.outputs[0];
  if (way.cuts.size() == 2 && larger_share(output, way.cuts[1]) < larger_share(output, way.cuts[0]))
    std::swap(way.cuts[0], way.cuts[1]);
  const AxisOrder channels_last = channels_last_order(call.dims(0).size());
  way.input_orders = {channels_last, {}, {}, channels_last};
  way.output_orders = {channels_last};
  return way;
}

bool are_finite(const Tensor& weights) {
  const PassingTensors passing;
  const std::byte* at = weights.bytes().data();
  for (std::int64_t left = element_count(weights.type()); left > 0; --left) {
    float weight = 0;
    // The bytes may be unaligned.
    std::memcpy(&weight, at, sizeof weight);
    if (!std::isfinite(weight)) return false;
    at += sizeof weight;
  }
  return true;
}

}  // namespace braid::cpu
