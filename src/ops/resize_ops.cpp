#include <cmath>

#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/resize.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/axes.h"
#include "ops/shared/epilogue.h"

namespace braid {
namespace {

std::vector<TensorType> infer_resize(const OpCall& call) {
  const ResizeGeometry resize = resize_geometry(call);
  if (!resizes_by_picking(call) && call.input(0).element == ElementType::Bool)
    raise(ErrorKind::Unsupported,
          fmt::format("{} can only pick elements of type bool (mode nearest)", call.op));
  return {{call.input(0).element, resize.output}};
}

Work resize_work(const OpCall& call) {
  if (resizes_by_picking(call)) return {};
  double taps = 1;
  const ResizeGeometry resize = resize_geometry(call);
  for (std::size_t i = 0; i < resize.output.size(); ++i)
    if (resize.output[i] != resize.input[i])
      taps *= call.attributes->text("mode", "") == "cubic" ? 4 : 2;
  return {.flops = 2 * taps * static_cast<double>(element_count(resize.output))};
}

/// `data`, of shape `dims`, resized along one axis; `dims` becomes the new shape.
template <class T, class Sum>
std::vector<T> along_axis(const std::vector<T>& data, Dims& dims, std::size_t axis,
                          const ResizeAxis& map, const Sum& sum) {
  const AxisView view = view_along(dims, static_cast<std::int64_t>(axis));
  const auto length = static_cast<std::int64_t>(map.positions.size()) / map.taps;
  std::vector<T> out;
  out.reserve(static_cast<std::size_t>(view.outer * length * view.inner));
  for (std::int64_t o = 0; o < view.outer; ++o)
    for (std::int64_t i = 0; i < length; ++i)
      for (std::int64_t k = 0; k < view.inner; ++k)
        out.push_back(sum(i, [&](std::int64_t tap) {
          const std::int64_t position = map.positions[static_cast<std::size_t>(i * map.taps + tap)];
          return data[static_cast<std::size_t>((o * view.length + position) * view.inner + k)];
        }));
  dims[axis] = length;
  return out;
}

Tensor picked(const OpCall& call, const Tensor& x, const ResizeGeometry& resize) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch(x.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const float value = call.attributes->real("extrapolation_value", 0);
    T extrapolated{};
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      extrapolated = saturated<T>(std::isnan(value) ? 0 : std::nearbyint(value));
    else
      extrapolated = store<T>(value);
    const auto in = x.data<T>();
    // std::vector<bool> packs its elements; a byte does as well.
    using Cell = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    std::vector<Cell> data(in.begin(), in.end());
    Dims dims = resize.input;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if (!resize.resized[axis]) continue;
      const ResizeAxis map = resize_axis(call, resize, axis);
      if (map.identity(dims[axis])) continue;
      data = along_axis(data, dims, axis, map, [&](std::int64_t i, const auto& tap) {
        const bool outside = !map.outside.empty() && map.outside[static_cast<std::size_t>(i)];
        return outside ? static_cast<Cell>(extrapolated) : tap(0);
      });
    }
    const auto to = out.mutable_data<T>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(data[i]);
  });
  return out;
}

Tensor interpolated(const OpCall& call, const Tensor& x, const ResizeGeometry& resize) {
  std::vector<double> data = numbers<double>(x);
  Dims dims = resize.input;
  const double extrapolated = call.attributes->real("extrapolation_value", 0);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (!resize.resized[axis]) continue;
    const ResizeAxis map = resize_axis(call, resize, axis);
    data = along_axis(data, dims, axis, map, [&](std::int64_t i, const auto& tap) {
      if (!map.outside.empty() && map.outside[static_cast<std::size_t>(i)]) return extrapolated;
      double sum = 0;
      // A weight of zero must not turn an infinity into NaN.
      for (std::int64_t k = 0; k < map.taps; ++k)
        if (const double w = map.weights[static_cast<std::size_t>(i * map.taps + k)]; w != 0)
          sum += w * tap(k);
      return sum;
    });
  }
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto to = out.mutable_data<T>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      if constexpr (std::is_integral_v<T>)
        to[i] = saturated<T>(std::nearbyint(data[i]));
      else
        to[i] = store<T>(data[i]);
    }
  });
  return out;
}

std::vector<Tensor> evaluate_resize(const OpCall& call, std::span<const Tensor> inputs) {
  const ResizeGeometry resize = resize_geometry(call);
  return {resizes_by_picking(call) ? picked(call, inputs[0], resize)
                                   : interpolated(call, inputs[0], resize)};
}

}  // namespace

std::vector<OpDef> resize_ops() {
  OpDef resize;
  resize.name = "Resize";
  resize.kind = OpKind::Movement;
  resize.versions = {10, 11, 13, 18, 19};
  resize.max_inputs = 4;
  resize.attributes = {{"antialias", AttributeKind::Integer},
                       {"axes", AttributeKind::Integers},
                       {"coordinate_transformation_mode", AttributeKind::Text},
                       {"cubic_coeff_a", AttributeKind::Real},
                       {"exclude_outside", AttributeKind::Integer},
                       {"extrapolation_value", AttributeKind::Real},
                       {"keep_aspect_ratio_policy", AttributeKind::Text},
                       {"mode", AttributeKind::Text},
                       {"nearest_mode", AttributeKind::Text}};
  resize.special_numbers =
      "a sample of weight 0 takes no part; ONNX Runtime multiplies it by 0, which makes NaN of NaN "
      "and infinities";
  resize.infer = infer_resize;
  resize.work = resize_work;
  resize.evaluate = evaluate_resize;

  OpDef upsample = resize;
  upsample.name = "Upsample";
  upsample.versions = {1, 7, 9, 10};
  upsample.min_inputs = upsample.max_inputs = 2;
  upsample.attributes = {{"mode", AttributeKind::Text}};
  return {resize, upsample};
}

}  // namespace braid
