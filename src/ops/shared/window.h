#pragma once

#include <string_view>

#include "ops/op.h"

namespace braid {

/// A window that slides over the spatial axes of a tensor (Conv, pools): one entry per axis in each
/// list, `auto_pad` resolved, everything checked. Output o reads the inputs
///     o * stride - pad_begin + k * dilation   for k in [0, kernel)
/// of which those outside [0, input) are padding.
struct Window {
  Dims kernel;
  Dims strides;
  Dims dilations;
  Dims pads_begin;
  Dims pads_end;
  Dims input;   ///< spatial extents
  Dims output;  ///< spatial extents

  std::size_t axes() const { return kernel.size(); }
  bool operator==(const Window&) const = default;
};

/// Reads strides, dilations, pads, auto_pad and ceil_mode of a node. Lists of one element stand for
/// all axes. Throws Model, naming the attribute, if one is missing entries or out of range, or if
/// the window is larger than the padded input.
Window read_window(const OpCall& call, Dims kernel, Dims input);

/// The attribute as one entry per axis: `otherwise` if absent, repeated if it has a single entry.
/// Entries are at least `least`.
Dims per_axis(const OpCall& call, std::string_view attribute, std::size_t axes,
              std::int64_t otherwise, std::int64_t least);

/// The `pads` attribute, begins then ends; not negative.
void read_pads(const OpCall& call, std::size_t axes, Dims& begin, Dims& end);

enum class AutoPad { NotSet, SameUpper, SameLower, Valid };
/// Throws Model if the attribute `auto_pad` has another value.
AutoPad read_auto_pad(const OpCall& call);

/// The same window with leading axes of extent 1 until there are three.
Window with_three_axes(const Window& window);

/// The outputs [first, last) along an axis for which tap k of the kernel reads the input, not
/// padding.
struct TapRange {
  std::int64_t first;
  std::int64_t last;
};
TapRange tap_range(const Window& window, std::size_t axis, std::int64_t k);

/// The outputs of one row for which a tap reads the input, not padding: output[k] of the row, for k
/// in `columns`, reads input[k * stride] by the stride of the last axis.
struct TapRow {
  std::int64_t output;  ///< where the row begins among all outputs
  std::int64_t input;   ///< where its inputs begin; before the first input if that is padding
  TapRange columns;
};
/// Calls visit(tap, row) for each tap, in order, of a kernel of three axes, and each of its rows.
template <class Visit>
void for_each_tap(const Window& w, Visit visit) {
  std::int64_t tap = 0;
  for (std::int64_t a = 0; a < w.kernel[0]; ++a)
    for (std::int64_t b = 0; b < w.kernel[1]; ++b)
      for (std::int64_t c = 0; c < w.kernel[2]; ++c, ++tap) {
        const TapRange planes = tap_range(w, 0, a);
        const TapRange rows = tap_range(w, 1, b);
        const TapRange columns = tap_range(w, 2, c);
        const std::int64_t shift = c * w.dilations[2] - w.pads_begin[2];
        for (std::int64_t i = planes.first; i < planes.last; ++i) {
          const std::int64_t plane = i * w.strides[0] + a * w.dilations[0] - w.pads_begin[0];
          for (std::int64_t j = rows.first; j < rows.last; ++j) {
            const std::int64_t row = j * w.strides[1] + b * w.dilations[1] - w.pads_begin[1];
            visit(tap, TapRow{(i * w.output[1] + j) * w.output[2],
                              (plane * w.input[1] + row) * w.input[2] + shift, columns});
          }
        }
      }
}

/// The spatial extents of a tensor [N,C,spatial...]. Throws unless there are 1 to 3 of them, none
/// of which is too large.
Dims spatial_extents(const OpCall& call, const Dims& dims);

}  // namespace braid
