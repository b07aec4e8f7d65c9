#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "ops/definitions.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/axes.h"

namespace braid {
namespace {

enum class SampleMode { Nearest, Linear, Cubic };
enum class Padding { Zeros, Border, Reflection };

SampleMode sample_mode(const OpCall& call) {
  const std::string mode = call.attributes->text("mode", "linear");
  if (mode == "nearest") return SampleMode::Nearest;
  if (mode == "linear" || mode == "bilinear") return SampleMode::Linear;
  if (mode == "cubic" || mode == "bicubic") return SampleMode::Cubic;
  raise(ErrorKind::Model, fmt::format("attribute 'mode' of GridSample is {}, expected nearest, "
                                      "linear or cubic",
                                      quote(mode)));
}

Padding padding_of(const OpCall& call) {
  const std::string padding = call.attributes->text("padding_mode", "zeros");
  if (padding == "zeros") return Padding::Zeros;
  if (padding == "border") return Padding::Border;
  if (padding == "reflection") return Padding::Reflection;
  raise(ErrorKind::Model, fmt::format("attribute 'padding_mode' of GridSample is {}, expected "
                                      "zeros, border or reflection",
                                      quote(padding)));
}

std::vector<TensorType> infer_grid_sample(const OpCall& call) {
  const Dims& x = call.dims(0);
  const Dims& grid = call.dims(1);
  const SampleMode mode = sample_mode(call);
  padding_of(call);
  if (x.size() < 3 || x.size() > 5 || grid.size() != x.size() || grid[0] != x[0] ||
      grid.back() != static_cast<std::int64_t>(x.size()) - 2)
    raise(ErrorKind::Model,
          fmt::format("GridSample cannot sample {} with a grid {}", to_string(x), to_string(grid)));
  if (!is_float_type(call.input(1).element))
    raise(ErrorKind::Model, fmt::format("the grid of GridSample has type {}, expected floats",
                                        to_string(call.input(1))));
  if (mode != SampleMode::Nearest && !is_float_type(call.input(0).element))
    raise(ErrorKind::Unsupported, fmt::format("GridSample can only pick elements of type {} (mode "
                                              "nearest)",
                                              name(call.input(0).element)));
  Dims dims = {x[0], x[1]};
  dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
  if (element_count(dims) > 0 && element_count(x) == 0)
    raise(ErrorKind::Model, "GridSample of an input without elements");
  return {{call.input(0).element, dims}};
}

Work grid_sample_work(const OpCall& call) {
  const double taps = sample_mode(call) == SampleMode::Cubic ? 4 : 2;
  const double each = std::pow(taps, static_cast<double>(call.rank(0) - 2));
  return {.flops = 2 * each * static_cast<double>(element_count(call.outputs.at(0)))};
}

/// Samples along one axis of the input.
struct Axis {
  std::int64_t extent;
  double lowest;
  double highest;
  bool corners;

  Axis(std::int64_t length, bool align_corners)
      : extent(length),
        lowest(align_corners ? 0 : -0.5),
        highest(static_cast<double>(length) - (align_corners ? 1 : 0.5)),
        corners(align_corners) {}

  float position(float n) const {
    const auto length = static_cast<float>(extent);
    const float x = corners ? (n + 1) / 2 * (length - 1) : ((n + 1) * length - 1) / 2;
    // Far outside is as good as anywhere outside, and converts to an integer.
    return std::fabs(x) < 1e8F ? x : x > 0 ? 1e8F : -1e8F;
  }
  double reflected(double x) const {
    const double range = highest - lowest;
    if (range <= 0) return lowest;
    const bool below = x < lowest;
    if (!below && x <= highest) return x;
    const double distance = below ? lowest - x : x - highest;
    const double turns = std::floor(distance / range);
    const double rest = distance - turns * range;
    const bool even = std::fmod(turns, 2) == 0;
    return below == even ? lowest + rest : highest - rest;
  }
  float inside(float x, Padding padding) const {
    if (x >= lowest && x <= highest) return x;
    if (padding == Padding::Border) return std::clamp(x, 0.0F, static_cast<float>(extent - 1));
    return padding == Padding::Reflection ? static_cast<float>(reflected(x)) : x;
  }
  /// The index of the element, or -1 for a zero.
  std::int64_t element(std::int64_t i, Padding padding) const {
    if (padding == Padding::Zeros) return i >= 0 && i < extent ? i : -1;
    if (padding == Padding::Reflection)
      i = static_cast<std::int64_t>(reflected(static_cast<double>(i)));
    return std::clamp<std::int64_t>(i, 0, extent - 1);
  }
};

struct SampleTaps {
  int count = 1;
  std::array<std::int64_t, 4> element{};
  std::array<double, 4> weight{};
};

SampleTaps taps_of(const Axis& axis, float n, SampleMode mode, Padding padding) {
  float x = axis.position(n);
  if (mode == SampleMode::Nearest) x = std::nearbyint(x);
  x = axis.inside(x, padding);
  SampleTaps taps;
  if (mode == SampleMode::Nearest) {
    taps.element[0] = axis.element(static_cast<std::int64_t>(x), padding);
    taps.weight[0] = 1;
    return taps;
  }
  const double floor = std::floor(static_cast<double>(x));
  const double r = static_cast<double>(x) - floor;
  taps.count = mode == SampleMode::Linear ? 2 : 4;
  const auto first = static_cast<std::int64_t>(floor) - (mode == SampleMode::Linear ? 0 : 1);
  if (mode == SampleMode::Linear) {
    taps.weight = {1 - r, r, 0, 0};
  } else {
    constexpr double a = -0.75;
    const auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    taps.weight = {far(r + 1), near(r), near(1 - r), far(2 - r)};
  }
  for (int k = 0; k < taps.count; ++k)
    taps.element[static_cast<std::size_t>(k)] = axis.element(first + k, padding);
  return taps;
}

/// The offsets in a channel, and the weights, of all elements that make one output.
struct Sample {
  std::vector<std::int64_t> offsets;
  std::vector<double> weights;
};

Sample sample_of(const std::vector<Axis>& axes, const float* location, SampleMode mode,
                 Padding padding) {
  Sample sample = {{0}, {1}};
  for (std::size_t k = 0; k < axes.size(); ++k) {
    // Coordinates are listed from the innermost axis outwards.
    const SampleTaps taps = taps_of(axes[k], location[axes.size() - 1 - k], mode, padding);
    Sample finer;
    for (std::size_t i = 0; i < sample.offsets.size(); ++i)
      for (std::size_t t = 0; t < static_cast<std::size_t>(taps.count); ++t) {
        if (taps.element[t] < 0) continue;
        finer.offsets.push_back(sample.offsets[i] * axes[k].extent + taps.element[t]);
        finer.weights.push_back(sample.weights[i] * taps.weight[t]);
      }
    sample = std::move(finer);
  }
  return sample;
}

std::vector<Tensor> evaluate_grid_sample(const OpCall& call, std::span<const Tensor> inputs) {
  const Dims& x = inputs[0].dims();
  const SampleMode mode = sample_mode(call);
  const Padding padding = padding_of(call);
  std::vector<Axis> axes;
  for (std::size_t i = 2; i < x.size(); ++i)
    axes.emplace_back(x[i], call.attributes->integer("align_corners", 0) != 0);
  const auto grid = numbers<float>(inputs[1]);
  const std::int64_t in_size = span_of(x, 2, call.rank(0));
  const std::int64_t points = span_of(inputs[1].dims(), 1, call.rank(1) - 1);
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto in = inputs[0].data<T>();
    const auto to = out.mutable_data<T>();
    for (std::int64_t n = 0; n < x[0]; ++n)
      for (std::int64_t p = 0; p < points; ++p) {
        const float* location =
            grid.data() + (n * points + p) * static_cast<std::int64_t>(axes.size());
        const Sample sample = sample_of(axes, location, mode, padding);
        for (std::int64_t c = 0; c < x[1]; ++c) {
          const auto channel = static_cast<std::size_t>((n * x[1] + c) * in_size);
          T& result = to[static_cast<std::size_t>((n * x[1] + c) * points + p)];
          if (mode == SampleMode::Nearest) {
            result = sample.offsets.empty()
                         ? T{}
                         : in[channel + static_cast<std::size_t>(sample.offsets[0])];
            continue;
          }
          double sum = 0;
          for (std::size_t i = 0; i < sample.offsets.size(); ++i)
            sum += sample.weights[i] *
                   static_cast<double>(
                       load(in[channel + static_cast<std::size_t>(sample.offsets[i])]));
          result = store<T>(sum);
        }
      }
  });
  return {out};
}

std::vector<TensorType> infer_affine_grid(const OpCall& call) {
  const auto size = call.known_integers(1, "input size");
  const auto axes = static_cast<std::int64_t>(size.size()) - 2;
  if ((axes != 2 && axes != 3) || call.dims(0) != Dims{size[0], axes, axes + 1})
    raise(ErrorKind::Model, fmt::format("AffineGrid cannot make a grid of size {} with theta {}",
                                        to_string(size), to_string(call.dims(0))));
  Dims dims = {size[0]};
  dims.insert(dims.end(), size.begin() + 2, size.end());
  dims.push_back(axes);
  return {{call.input(0).element, dims}};
}

Work affine_grid_work(const OpCall& call) {
  return {.flops = 2 * static_cast<double>(element_count(call.outputs.at(0))) *
                   static_cast<double>(call.dims(0)[2])};
}

std::vector<Tensor> evaluate_affine_grid(const OpCall& call, std::span<const Tensor> inputs) {
  const auto theta = numbers<double>(inputs[0]);
  const Dims& dims = call.outputs[0].dims;
  const auto axes = static_cast<std::size_t>(dims.back());
  const bool corners = call.attributes->integer("align_corners", 0) != 0;
  const auto coordinate = [&](std::int64_t i, std::int64_t extent) {
    const auto length = static_cast<double>(extent);
    if (corners) return extent == 1 ? -1 : 2 * static_cast<double>(i) / (length - 1) - 1;
    return (2 * static_cast<double>(i) + 1) / length - 1;
  };
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto to = out.mutable_data<T>();
    const auto points = to.size() / axes / static_cast<std::size_t>(dims[0]);
    for (std::size_t p = 0; p < to.size() / axes; ++p) {
      // The point's coordinates from the innermost axis outwards, then a one.
      std::array<double, 4> point{};
      point[axes] = 1;
      auto rest = static_cast<std::int64_t>(p % points);
      for (std::size_t k = 0; k < axes; ++k) {
        const std::int64_t extent = dims[axes - k];
        point[k] = coordinate(rest % extent, extent);
        rest /= extent;
      }
      for (std::size_t row = 0; row < axes; ++row) {
        const double* factors = theta.data() + (p / points * axes + row) * (axes + 1);
        double sum = 0;
        for (std::size_t k = 0; k <= axes; ++k) sum += factors[k] * point[k];
        to[p * axes + row] = store<T>(sum);
      }
    }
  });
  return {out};
}

}  // namespace

std::vector<OpDef> grid_sample_ops() {
  OpDef sample;
  sample.name = "GridSample";
  sample.versions = {16, 20, 22};
  sample.min_inputs = sample.max_inputs = 2;
  sample.attributes = {{"align_corners", AttributeKind::Integer},
                       {"mode", AttributeKind::Text},
                       {"padding_mode", AttributeKind::Text}};
  sample.special_numbers =
      "coordinates that are NaN or infinite lie outside; ONNX Runtime takes them for "
      "some pixel or other";
  sample.infer = infer_grid_sample;
  sample.work = grid_sample_work;
  sample.evaluate = evaluate_grid_sample;

  OpDef affine;
  affine.name = "AffineGrid";
  affine.versions = {20};
  affine.min_inputs = affine.max_inputs = 2;
  affine.attributes = {{"align_corners", AttributeKind::Integer}};
  affine.types = kFloats;
  affine.infer = infer_affine_grid;
  affine.work = affine_grid_work;
  affine.evaluate = evaluate_affine_grid;
  return {sample, affine};
}

}  // namespace braid
