#include "ops/shared/window.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"

namespace braid {
namespace {

/// A bound that no tensor reaches, but small enough that sums and products of two fit 64 bits.
constexpr std::int64_t kLargest = std::int64_t{1} << 31;

void check_entries(const OpCall& call, std::string_view attribute, const Dims& list,
                   std::int64_t least) {
  for (const std::int64_t x : list)
    if (x < least || x > kLargest)
      raise(ErrorKind::Model, fmt::format("attribute '{}' of {} contains {}, expected {} to {}",
                                          attribute, call.op, x, least, kLargest));
}

Dims sized(const OpCall& call, std::string_view attribute, Dims list, std::size_t size) {
  if (list.size() == 1) list.assign(size, list[0]);
  if (list.size() != size)
    raise(ErrorKind::Model, fmt::format("attribute '{}' of {} has {} entries, expected {}",
                                        attribute, call.op, list.size(), size));
  return list;
}

void pad_to_same(Window& window, std::size_t axis, bool upper, std::int64_t reach) {
  window.output[axis] = ceil_div(window.input[axis], window.strides[axis]);
  const std::int64_t needed = std::max<std::int64_t>(
      0, (window.output[axis] - 1) * window.strides[axis] + reach - window.input[axis]);
  window.pads_begin[axis] = upper ? needed / 2 : needed - needed / 2;
  window.pads_end[axis] = needed - window.pads_begin[axis];
}

void slide(const OpCall& call, Window& window, std::size_t axis, bool round_up,
           std::int64_t reach) {
  const std::int64_t padded =
      checked_add(window.input[axis], window.pads_begin[axis] + window.pads_end[axis]);
  const std::int64_t stride = window.strides[axis];
  if (reach > padded)
    raise(ErrorKind::Model,
          fmt::format("the window of {} spans {} elements of spatial axis {}, but the padded input "
                      "has {}",
                      call.op, reach, axis, padded));
  std::int64_t& output = window.output[axis];
  output = (round_up ? ceil_div(padded - reach, stride) : (padded - reach) / stride) + 1;
  // A window that would start in the padding at the end is left out.
  if (round_up && (output - 1) * stride >= window.input[axis] + window.pads_begin[axis]) --output;
}

}  // namespace

Dims per_axis(const OpCall& call, std::string_view attribute, std::size_t axes,
              std::int64_t otherwise, std::int64_t least) {
  if (!call.attributes->has(attribute)) return Dims(axes, otherwise);
  Dims list = sized(call, attribute, call.attributes->integers(attribute), axes);
  check_entries(call, attribute, list, least);
  return list;
}

void read_pads(const OpCall& call, std::size_t axes, Dims& begin, Dims& end) {
  const Dims pads = per_axis(call, "pads", 2 * axes, 0, 0);
  begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  end.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
}

AutoPad read_auto_pad(const OpCall& call) {
  const std::string text = call.attributes->text("auto_pad", "NOTSET");
  if (text == "NOTSET" || text.empty()) return AutoPad::NotSet;
  if (text == "SAME_UPPER") return AutoPad::SameUpper;
  if (text == "SAME_LOWER") return AutoPad::SameLower;
  if (text == "VALID") return AutoPad::Valid;
  raise(ErrorKind::Model,
        fmt::format("attribute 'auto_pad' of {} is {}, expected NOTSET, SAME_UPPER, SAME_LOWER or "
                    "VALID",
                    call.op, quote(text)));
}

Window read_window(const OpCall& call, Dims kernel, Dims input) {
  Window window;
  const std::size_t axes = input.size();
  window.kernel = sized(call, "kernel_shape", std::move(kernel), axes);
  check_entries(call, "kernel_shape", window.kernel, 1);
  window.strides = per_axis(call, "strides", axes, 1, 1);
  window.dilations = per_axis(call, "dilations", axes, 1, 1);
  read_pads(call, axes, window.pads_begin, window.pads_end);
  window.input = std::move(input);
  window.output.assign(axes, 0);

  const AutoPad auto_pad = read_auto_pad(call);
  const bool same = auto_pad == AutoPad::SameUpper || auto_pad == AutoPad::SameLower;
  if (auto_pad == AutoPad::Valid) {
    window.pads_begin.assign(axes, 0);
    window.pads_end.assign(axes, 0);
  }
  const bool round_up = auto_pad != AutoPad::Valid && call.attributes->integer("ceil_mode", 0) != 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t reach =
        checked_add(checked_mul(window.kernel[axis] - 1, window.dilations[axis]), 1);
    if (same)
      pad_to_same(window, axis, auto_pad == AutoPad::SameUpper, reach);
    else
      slide(call, window, axis, round_up, reach);
  }
  return window;
}

Window with_three_axes(const Window& window) {
  Window lifted = window;
  const std::size_t missing = 3 - window.axes();
  for (Dims* list :
       {&lifted.kernel, &lifted.strides, &lifted.dilations, &lifted.input, &lifted.output})
    list->insert(list->begin(), missing, 1);
  for (Dims* list : {&lifted.pads_begin, &lifted.pads_end}) list->insert(list->begin(), missing, 0);
  return lifted;
}

TapRange tap_range(const Window& window, std::size_t axis, std::int64_t k) {
  // Output o reads position o * stride + shift.
  const std::int64_t shift = k * window.dilations[axis] - window.pads_begin[axis];
  const std::int64_t stride = window.strides[axis];
  const std::int64_t first = shift >= 0 ? 0 : ceil_div(-shift, stride);
  const std::int64_t room = window.input[axis] - shift;
  const std::int64_t last = room <= 0 ? 0 : ceil_div(room, stride);
  return {std::min(first, window.output[axis]),
          std::max(std::min(first, window.output[axis]), std::min(last, window.output[axis]))};
}

Dims spatial_extents(const OpCall& call, const Dims& dims) {
  if (dims.size() < 3)
    raise(ErrorKind::Model, fmt::format("{} needs an input [N,C,spatial...], got shape {}", call.op,
                                        to_string(dims)));
  if (dims.size() > 5)
    raise(ErrorKind::Unsupported,
          fmt::format("{} has {} spatial axes; at most 3 are supported", call.op, dims.size() - 2));
  for (const std::int64_t d : dims)
    if (d > kLargest)
      raise(ErrorKind::Quota,
            fmt::format("{} has an input of shape {}: too large", call.op, to_string(dims)));
  return {dims.begin() + 2, dims.end()};
}

}  // namespace braid
