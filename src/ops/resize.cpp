#include "ops/resize.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/text.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/axes.h"

namespace braid {
namespace {

std::string choice(const OpCall& call, std::string_view attribute, std::string_view otherwise,
                   std::initializer_list<std::string_view> allowed) {
  std::string text = call.attributes->text(attribute, otherwise);
  if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
    raise(ErrorKind::Model, fmt::format("attribute '{}' of {} has the unknown value {}", attribute,
                                        call.op, quote(text)));
  return text;
}

bool is_upsample(const OpCall& call) { return call.op == "Upsample"; }

std::string coordinate_mode(const OpCall& call) {
  return choice(call, "coordinate_transformation_mode",
                is_upsample(call) ? "asymmetric" : "half_pixel",
                {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                 "asymmetric", "tf_crop_and_resize"});
}

std::string nearest_mode(const OpCall& call) {
  return choice(call, "nearest_mode", is_upsample(call) ? "floor" : "round_prefer_floor",
                {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
}

std::vector<std::int64_t> axes_of(const OpCall& call) {
  std::vector<std::int64_t> axes = call.attributes->integers("axes");
  if (!axes.empty()) return normal_axes(call.op, std::move(axes), call.rank(0));
  for (std::int64_t i = 0; i < call.rank(0); ++i) axes.push_back(i);
  return axes;
}

/// Whether the input is there. One with no elements counts as absent: older exporters write it so.
bool given(const OpCall& call, std::size_t i) {
  return call.has(i) && element_count(call.input(i)) > 0;
}

[[noreturn]] void reject_resize(const OpCall& call, const std::string& why) {
  raise(ErrorKind::Model, fmt::format("{} {}", call.op, why));
}

void apply_scales(const OpCall& call, std::size_t i, const std::vector<std::int64_t>& axes,
                  ResizeGeometry& resize) {
  const auto scales = numbers<float>(call.known_input(i, "input scales").aligned());
  if (scales.size() != axes.size())
    reject_resize(call, fmt::format("has {} scales for {} axes", scales.size(), axes.size()));
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto axis = static_cast<std::size_t>(axes[k]);
    // This is computed in float, as ONNX's shape inference does it.
    const float extent = scales[k] * static_cast<float>(resize.input[axis]);
    if (!(scales[k] > 0) || !(extent < 1e15F))
      reject_resize(
          call, fmt::format("has the scale {} for the extent {}", scales[k], resize.input[axis]));
    resize.scales[axis] = scales[k];
    resize.output[axis] = static_cast<std::int64_t>(std::floor(extent));
  }
}

void apply_sizes(const OpCall& call, const std::vector<std::int64_t>& axes,
                 ResizeGeometry& resize) {
  const auto sizes = call.known_integers(3, "input sizes");
  if (sizes.size() != axes.size())
    reject_resize(call, fmt::format("has {} sizes for {} axes", sizes.size(), axes.size()));
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto axis = static_cast<std::size_t>(axes[k]);
    if (sizes[k] < 0 || sizes[k] > (std::int64_t{1} << 48) || resize.input[axis] == 0)
      reject_resize(call,
                    fmt::format("cannot make the extent {} from {}", sizes[k], resize.input[axis]));
    resize.output[axis] = sizes[k];
    resize.scales[axis] = static_cast<double>(sizes[k]) / static_cast<double>(resize.input[axis]);
  }
  const std::string policy =
      choice(call, "keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"});
  if (policy == "stretch" || axes.empty()) return;
  double common = resize.scales[static_cast<std::size_t>(axes[0])];
  for (const std::int64_t axis : axes) {
    const double scale = resize.scales[static_cast<std::size_t>(axis)];
    common = policy == "not_larger" ? std::min(common, scale) : std::max(common, scale);
  }
  for (const std::int64_t a : axes) {
    const auto axis = static_cast<std::size_t>(a);
    const double extent = common * static_cast<double>(resize.input[axis]);
    if (!(extent < 1e15)) reject_resize(call, "would make a tensor that is too large");
    resize.scales[axis] = common;
    resize.output[axis] = static_cast<std::int64_t>(std::floor(extent + 0.5));
  }
}

/// Begin and end of the region of interest along an axis, in units of the input's extent.
std::pair<double, double> region(const OpCall& call, std::size_t axis) {
  if (!given(call, 1)) reject_resize(call, "with tf_crop_and_resize needs the input roi");
  const auto roi = numbers<double>(call.known_input(1, "input roi").aligned());
  const auto axes = axes_of(call);
  if (roi.size() != 2 * axes.size())
    reject_resize(call, fmt::format("has {} entries in roi for {} axes", roi.size(), axes.size()));
  const auto at = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis));
  const auto k = static_cast<std::size_t>(at - axes.begin());
  return {roi[k], roi[axes.size() + k]};
}

/// The position in the input that output index `x` stands for.
class Coordinates {
 public:
  Coordinates(const OpCall& call, const ResizeGeometry& resize, std::size_t axis)
      : mode_(coordinate_mode(call)),
        scale_(resize.scales[axis]),
        input_(static_cast<double>(resize.input[axis])),
        output_(static_cast<double>(resize.output[axis])) {
    if (mode_ == "tf_crop_and_resize") region_ = region(call, axis);
  }

  bool crops() const { return mode_ == "tf_crop_and_resize"; }
  double operator()(double x) const {
    const double length = scale_ * input_;
    if (mode_ == "align_corners") return length == 1 ? 0 : x * (input_ - 1) / (length - 1);
    if (mode_ == "asymmetric") return x / scale_;
    if (mode_ == "tf_crop_and_resize") {
      const double part = (region_.second - region_.first) * (input_ - 1);
      return region_.first * (input_ - 1) + (length == 1 ? part / 2 : x * part / (length - 1));
    }
    if (mode_ == "pytorch_half_pixel" && output_ <= 1) return 0;
    const double shift = mode_ == "half_pixel_symmetric" ? input_ / 2 * (1 - output_ / length) : 0;
    return shift + (x + 0.5) / scale_ - 0.5;
  }

 private:
  std::string mode_;
  double scale_;
  double input_;
  double output_;
  std::pair<double, double> region_ = {0, 1};
};

std::int64_t nearest(double x, const std::string& mode) {
  if (mode == "floor") return static_cast<std::int64_t>(std::floor(x));
  if (mode == "ceil") return static_cast<std::int64_t>(std::ceil(x));
  return static_cast<std::int64_t>(mode == "round_prefer_floor" ? std::ceil(x - 0.5)
                                                                : std::floor(x + 0.5));
}

/// The interpolating function: its value at distance `x` from the tap.
double kernel(bool cubic, double a, double x) {
  x = std::fabs(x);
  if (!cubic) return std::max(0.0, 1 - x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

}  // namespace

bool ResizeAxis::identity(std::int64_t input) const {
  if (taps != 1 || static_cast<std::int64_t>(positions.size()) != input || !outside.empty())
    return false;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (positions[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

bool resizes_by_picking(const OpCall& call) {
  const std::string mode =
      choice(call, "mode", "nearest", {"nearest", "linear", "bilinear", "cubic"});
  if (mode == "nearest" && call.attributes->integer("antialias", 0) != 0)
    reject_resize(call, "cannot antialias in mode nearest");
  return mode == "nearest";
}

ResizeGeometry resize_geometry(const OpCall& call) {
  ResizeGeometry resize;
  resize.input = resize.output = call.dims(0);
  resize.scales.assign(resize.input.size(), 1);
  resize.resized.assign(resize.input.size(), false);
  const auto axes = axes_of(call);
  for (const std::int64_t axis : axes) resize.resized[static_cast<std::size_t>(axis)] = true;
  coordinate_mode(call);
  nearest_mode(call);
  resizes_by_picking(call);
  if (is_upsample(call)) {
    apply_scales(call, 1, axes, resize);
  } else if (given(call, 2) == given(call, 3)) {
    reject_resize(call, "needs either scales or sizes");
  } else if (given(call, 2)) {
    apply_scales(call, 2, axes, resize);
  } else {
    apply_sizes(call, axes, resize);
  }
  return resize;
}

ResizeAxis resize_axis(const OpCall& call, const ResizeGeometry& resize, std::size_t axis) {
  const Coordinates coordinate(call, resize, axis);
  const std::int64_t last = resize.input[axis] - 1;
  const bool picks = resizes_by_picking(call);
  const std::string picking = nearest_mode(call);
  const bool cubic = call.attributes->text("mode", "nearest") == "cubic";
  const double a = call.attributes->real("cubic_coeff_a", -0.75F);
  const bool exclude = call.attributes->integer("exclude_outside", 0) != 0;
  // When shrinking, antialiasing stretches the kernel over all inputs that an output covers.
  const bool antialias = call.attributes->integer("antialias", 0) != 0;
  const double squeeze = antialias ? std::min(resize.scales[axis], 1.0) : 1;
  const auto first = static_cast<std::int64_t>(std::floor((cubic ? -2 : -1) / squeeze)) + 1;

  ResizeAxis result;
  result.taps = picks ? 1 : 2 - 2 * first;
  for (std::int64_t i = 0; i < resize.output[axis]; ++i) {
    const double x = coordinate(static_cast<double>(i));
    if (coordinate.crops()) result.outside.push_back(x < 0 || x > static_cast<double>(last));
    if (picks) {
      result.positions.push_back(std::clamp<std::int64_t>(nearest(x, picking), 0, last));
      result.weights.push_back(1);
      continue;
    }
    // The tap on the left of x; x itself counts as right of it.
    const auto left = static_cast<std::int64_t>(std::ceil(x)) - 1;
    double sum = 0;
    for (std::int64_t k = first; k < first + result.taps; ++k) {
      const std::int64_t position = left + k;
      const bool excluded = exclude && (position < 0 || position > last);
      const double weight =
          excluded ? 0 : kernel(cubic, a, squeeze * (static_cast<double>(position) - x));
      result.positions.push_back(std::clamp<std::int64_t>(position, 0, last));
      result.weights.push_back(weight);
      sum += weight;
    }
    if ((antialias || exclude) && sum != 0)
      for (std::int64_t k = 0; k < result.taps; ++k)
        result.weights[result.weights.size() - 1 - static_cast<std::size_t>(k)] /= sum;
  }
  return result;
}

}  // namespace braid
