#include "device/lowering/transposed_phases.h"

#include <algorithm>

namespace braid {
namespace {

// Along an axis with stride s, output s * t + r of a ConvTranspose reads the inputs t + a - j
// through the taps s * j + p, for all j, where r + pad_begin = s * a + p. So the outputs of one
// phase r are those of a Conv. All phases can be channels of one Conv, too; it begins where p is 0,
// makes some pixels more, which are cut off, and some of its taps may be zeros:
//
//     taps     p=0 p=1 p=0 p=1          Conv at t:   [p=0 | p=1]
//     j         0   0   1   1           outputs:      2t    2t+1    (less pad_begin)
//
// Convolutions or channels, the phases are then laid side by side.

/// More convolutions than these would be too small.
constexpr std::int64_t kMostConvs = 8;

/// The Conv that makes outputs `first`, `first` + stride, … up to `last` of an axis of a stride
/// above 1, and the next `phases` - 1 outputs of each.
ConvAlongAxis conv_along(const Window& w, std::size_t axis, std::int64_t first, std::int64_t last,
                         std::int64_t phases) {
  const std::int64_t stride = w.strides[axis];
  const std::int64_t ahead = (first + w.pads_begin[axis]) / stride;
  const std::int64_t tap = (first + w.pads_begin[axis]) % stride;
  ConvAlongAxis conv{.first_tap = tap, .phases = phases};
  conv.taps = (w.kernel[axis] - tap + stride - 1) / stride;
  conv.pad_begin = conv.taps - 1 - ahead;
  conv.pad_end = (last + w.pads_begin[axis]) / stride - (w.output[axis] - 1);
  return conv;
}

/// What makes all outputs along an axis: a Conv for each phase, or one for all.
struct AlongAxis {
  std::vector<ConvAlongAxis> apart;  ///< empty if that would skip inputs, or is the same
  ConvAlongAxis together;
  std::int64_t begin = 0;  ///< the first output's place among all that the latter makes
};

/// Nothing if no Conv can do it, or most of its taps would be zeros.
std::optional<AlongAxis> along_axis(const Window& w, std::size_t axis) {
  const std::int64_t stride = w.strides[axis];
  const std::int64_t pad = w.pads_begin[axis];
  const std::int64_t outputs = w.input[axis];
  AlongAxis along;
  if (stride == 1) {
    const std::int64_t reach = w.dilations[axis] * (w.kernel[axis] - 1);
    along.together = {.taps = w.kernel[axis],
                      .dilation = w.dilations[axis],
                      .pad_begin = reach - pad,
                      .pad_end = outputs - 1 + pad - (w.output[axis] - 1)};
  } else {
    if (w.dilations[axis] != 1 || pad < 0 || stride > 2 * w.kernel[axis]) return std::nullopt;
    along.begin = pad % stride;
    along.together = conv_along(w, axis, -along.begin, outputs - 1, stride);
    if (outputs % stride == 0 && stride <= std::min(w.kernel[axis], kMostConvs))
      for (std::int64_t phase = 0; phase < stride; ++phase)
        along.apart.push_back(conv_along(w, axis, phase, outputs - stride + phase, 1));
    if (std::ranges::any_of(along.apart, &ConvAlongAxis::skips_inputs)) along.apart.clear();
  }
  return along.together.skips_inputs() ? std::nullopt : std::optional(along);
}

/// So few channels in a convolution of each phase would leave registers empty.
constexpr std::int64_t kLeastChannelsApart = 16;
/// One convolution is better used than many, if it makes no more than this share more.
constexpr double kMostInVain = 1.1;

/// Multiplications of one channel by another.
double work_of(const ConvAxes& axes, const Window& window) {
  double work = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const ConvAlongAxis& axis = axes[i];
    const std::int64_t reach = axis.dilation * (axis.taps - 1);
    const std::int64_t extent = window.output[i] + axis.pad_begin + axis.pad_end - reach;
    work *= static_cast<double>(extent) * static_cast<double>(axis.taps) *
            static_cast<double>(axis.phases);
  }
  return work;
}

/// All combinations of one phase of each axis.
std::vector<ConvAxes> combined(const std::vector<AlongAxis>& along) {
  std::vector<ConvAxes> all = {{}};
  for (const AlongAxis& axis : along) {
    const ConvAxes choices = axis.apart.empty() ? ConvAxes{axis.together} : axis.apart;
    std::vector<ConvAxes> longer;
    for (const ConvAxes& begun : all)
      for (const ConvAlongAxis& choice : choices) {
        longer.push_back(begun);
        longer.back().push_back(choice);
      }
    all = std::move(longer);
  }
  return all;
}

bool is_better_apart(const std::vector<AlongAxis>& along, const ConvTransposeGeometry& geometry) {
  ConvAxes together;
  std::int64_t convs = 1;
  for (std::size_t i = 0; i < along.size(); ++i) {
    const std::int64_t stride = geometry.window.strides[i];
    if (stride > kMostConvs / convs || (along[i].apart.empty() && stride > 1)) return false;
    convs *= stride;
    together.push_back(along[i].together);
  }
  double apart = 0;
  for (const ConvAxes& axes : combined(along)) apart += work_of(axes, geometry.window);
  return geometry.out_channels_of_group() >= kLeastChannelsApart &&
         work_of(together, geometry.window) > kMostInVain * apart;
}

}  // namespace

std::int64_t phases_of(const ConvAxes& axes) {
  std::int64_t all = 1;
  for (const ConvAlongAxis& axis : axes) all *= axis.phases;
  return all;
}

std::optional<TransposedPhases> transposed_phases(const ConvTransposeGeometry& geometry) {
  std::vector<AlongAxis> along;
  for (std::size_t axis = 0; axis < geometry.window.axes(); ++axis) {
    const auto one = along_axis(geometry.window, axis);
    if (!one) return std::nullopt;
    along.push_back(*one);
  }
  const bool apart = is_better_apart(along, geometry);
  TransposedPhases phases;
  for (AlongAxis& axis : along) {
    if (!apart) axis.apart.clear();
    phases.begin.push_back(apart ? 0 : axis.begin);
  }
  phases.convs = combined(along);
  return phases;
}

}  // namespace braid
