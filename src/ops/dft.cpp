#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/axes.h"

namespace braid {
namespace {

using Complex = std::complex<double>;

std::int64_t known_scalar(const OpCall& call, std::size_t i, std::string_view what) {
  const auto list = call.known_integers(i, what);
  if (list.size() != 1)
    raise(ErrorKind::Model,
          fmt::format("{} of {} has {} elements, expected one", what, call.op, list.size()));
  return list[0];
}

/// The transform of `signal` at each of `bins` frequencies, by the definition.
std::vector<Complex> transform(const std::vector<Complex>& signal, std::size_t bins, bool inverse) {
  const std::size_t n = signal.size();
  std::vector<Complex> turns(n);
  for (std::size_t k = 0; k < n; ++k)
    turns[k] = std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(k) /
                                   static_cast<double>(n));
  std::vector<Complex> out(bins);
  for (std::size_t k = 0; k < bins; ++k) {
    Complex sum = 0;
    for (std::size_t i = 0, turn = 0; i < n; ++i, turn = (turn + k) % n)
      sum += signal[i] * turns[turn];
    out[k] = inverse ? sum / static_cast<double>(n) : sum;
  }
  return out;
}

struct DftGeometry {
  AxisView view;  ///< of the input, complex parts inside
  std::int64_t parts;
  std::int64_t length;  ///< of the transform
  std::int64_t bins;    ///< written along the axis
  std::int64_t out_parts;
  std::int64_t axis;
  bool inverse;
  bool onesided;
};

DftGeometry dft_geometry(const OpCall& call) {
  const Dims& x = call.dims(0);
  const std::int64_t rank = call.rank(0);
  DftGeometry dft = {};
  dft.inverse = call.attributes->integer("inverse", 0) != 0;
  dft.onesided = call.attributes->integer("onesided", 0) != 0;
  dft.axis = normal_axis(call.op, call.has(2) ? known_scalar(call, 2, "input axis") : -2, rank);
  dft.parts = x.back();
  if (dft.axis == rank - 1 || (dft.parts != 1 && dft.parts != 2))
    raise(ErrorKind::Model,
          fmt::format("DFT along axis {} of shape {}: the last axis holds the real and imaginary "
                      "parts",
                      dft.axis, to_string(x)));
  dft.view = view_along(x, dft.axis);
  dft.length = dft.inverse && dft.onesided ? 2 * (dft.view.length - 1) : dft.view.length;
  if (call.has(1)) dft.length = known_scalar(call, 1, "input dft_length");
  if (dft.length < 1) raise(ErrorKind::Model, fmt::format("DFT has the length {}", dft.length));
  dft.bins = dft.onesided && !dft.inverse ? dft.length / 2 + 1 : dft.length;
  dft.out_parts = dft.onesided && dft.inverse ? 1 : 2;
  if (dft.onesided && dft.parts != (dft.inverse ? 2 : 1))
    raise(ErrorKind::Model, fmt::format("a one-sided {} DFT of shape {}",
                                        dft.inverse ? "inverse" : "forward", to_string(x)));
  return dft;
}

std::vector<TensorType> infer_dft(const OpCall& call) {
  const DftGeometry dft = dft_geometry(call);
  TensorType type = call.input(0);
  type.dims[static_cast<std::size_t>(dft.axis)] = dft.bins;
  type.dims.back() = dft.out_parts;
  return {type};
}

Work dft_work(const OpCall& call) {
  const DftGeometry dft = dft_geometry(call);
  const double lines = static_cast<double>(dft.view.outer) * static_cast<double>(dft.view.inner);
  const auto n = static_cast<double>(dft.length);
  return {.flops = lines * 5 * n * std::max(1.0, std::log2(n))};
}

/// A line of the input, cut or filled with zeros to the transform's length. The half that a
/// one-sided spectrum leaves out mirrors the other.
std::vector<Complex> signal_of(const DftGeometry& dft, const std::vector<Complex>& line) {
  const auto n = static_cast<std::size_t>(dft.length);
  std::vector<Complex> signal(n);
  const bool mirrored = dft.inverse && dft.onesided;
  const std::size_t given = std::min(line.size(), mirrored ? n / 2 + 1 : n);
  for (std::size_t i = 0; i < given; ++i) {
    signal[i] = line[i];
    if (!mirrored) continue;
    if (i == 0 || 2 * i == n)
      signal[i] = line[i].real();
    else
      signal[n - i] = std::conj(line[i]);
  }
  return signal;
}

template <class T>
void transform_lines(const DftGeometry& dft, std::span<const T> in, std::span<T> out) {
  const std::int64_t inner = dft.view.inner / dft.parts;
  std::vector<Complex> line(static_cast<std::size_t>(dft.view.length));
  for (std::int64_t o = 0; o < dft.view.outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      for (std::int64_t k = 0; k < dft.view.length; ++k) {
        const auto at =
            static_cast<std::size_t>(((o * dft.view.length + k) * inner + i) * dft.parts);
        line[static_cast<std::size_t>(k)] = {
            static_cast<double>(load(in[at])),
            dft.parts == 2 ? static_cast<double>(load(in[at + 1])) : 0};
      }
      const auto result =
          transform(signal_of(dft, line), static_cast<std::size_t>(dft.bins), dft.inverse);
      for (std::int64_t k = 0; k < dft.bins; ++k) {
        const auto at = static_cast<std::size_t>(((o * dft.bins + k) * inner + i) * dft.out_parts);
        out[at] = store<T>(result[static_cast<std::size_t>(k)].real());
        if (dft.out_parts == 2) out[at + 1] = store<T>(result[static_cast<std::size_t>(k)].imag());
      }
    }
}

std::vector<Tensor> evaluate_dft(const OpCall& call, std::span<const Tensor> inputs) {
  const DftGeometry dft = dft_geometry(call);
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    transform_lines<T>(dft, inputs[0].data<T>(), out.mutable_data<T>());
  });
  return {out};
}

struct StftGeometry {
  std::int64_t parts;  ///< of a number: 1 real, 2 complex
  std::int64_t step;
  std::int64_t length;  ///< of a frame
  std::int64_t frames;
  std::int64_t bins;
};

StftGeometry stft_geometry(const OpCall& call) {
  const Dims& x = call.dims(0);
  StftGeometry stft = {};
  // Exporters write real signals without the axis of one element that the specification has.
  const bool is_plain = x.size() == 2;
  if (!is_plain && (x.size() != 3 || (x[2] != 1 && x[2] != 2)))
    raise(ErrorKind::Model,
          fmt::format("STFT needs a signal [N,length] or [N,length,1 or 2], got shape {}",
                      to_string(x)));
  stft.parts = is_plain ? 1 : x[2];
  stft.step = known_scalar(call, 1, "input frame_step");
  stft.length = x[1];
  if (call.has(2)) stft.length = element_count(call.input(2));
  if (call.has(3)) stft.length = known_scalar(call, 3, "input frame_length");
  const bool window_fits =
      !call.has(2) || call.input(2) == TensorType{call.input(0).element, {stft.length}};
  if (stft.step < 1 || stft.length < 1 || stft.length > x[1] || !window_fits)
    raise(ErrorKind::Model, fmt::format("STFT of shape {} has frames of {} every {}", to_string(x),
                                        stft.length, stft.step));
  const bool onesided = call.attributes->integer("onesided", 1) != 0;
  if (onesided && stft.parts != 1) raise(ErrorKind::Model, "a one-sided STFT of a complex signal");
  stft.frames = 1 + (x[1] - stft.length) / stft.step;
  stft.bins = onesided ? stft.length / 2 + 1 : stft.length;
  return stft;
}

std::vector<TensorType> infer_stft(const OpCall& call) {
  const StftGeometry stft = stft_geometry(call);
  return {{call.input(0).element, {call.dims(0)[0], stft.frames, stft.bins, 2}}};
}

Work stft_work(const OpCall& call) {
  const StftGeometry stft = stft_geometry(call);
  const auto n = static_cast<double>(stft.length);
  return {.flops = static_cast<double>(call.dims(0)[0]) * static_cast<double>(stft.frames) * 5 * n *
                   std::max(1.0, std::log2(n))};
}

std::vector<Tensor> evaluate_stft(const OpCall& call, std::span<const Tensor> inputs) {
  const StftGeometry stft = stft_geometry(call);
  const Dims& dims = inputs[0].dims();
  const auto x = numbers<double>(inputs[0]);
  std::vector<double> window(static_cast<std::size_t>(stft.length), 1);
  if (call.has(2)) window = numbers<double>(inputs[2]);
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto to = out.mutable_data<T>();
    std::size_t at = 0;
    std::vector<Complex> frame(window.size());
    for (std::int64_t n = 0; n < dims[0]; ++n)
      for (std::int64_t f = 0; f < stft.frames; ++f) {
        for (std::size_t i = 0; i < frame.size(); ++i) {
          const auto from = static_cast<std::size_t>(
              (n * dims[1] + f * stft.step + static_cast<std::int64_t>(i)) * stft.parts);
          frame[i] = window[i] * Complex(x[from], stft.parts == 2 ? x[from + 1] : 0);
        }
        for (const Complex& bin : transform(frame, static_cast<std::size_t>(stft.bins), false)) {
          to[at++] = store<T>(bin.real());
          to[at++] = store<T>(bin.imag());
        }
      }
  });
  return {out};
}

}  // namespace

std::vector<OpDef> dft_ops() {
  OpDef dft;
  dft.name = "DFT";
  dft.versions = {17, 20};
  dft.max_inputs = 3;
  dft.attributes = {{"inverse", AttributeKind::Integer}, {"onesided", AttributeKind::Integer}};
  dft.special_numbers =
      "NaN and infinities are added up term by term; in ONNX Runtime's fast transform "
      "they meet other terms first";
  dft.types = kFloats;
  dft.infer = infer_dft;
  dft.work = dft_work;
  dft.evaluate = evaluate_dft;

  OpDef stft;
  stft.name = "STFT";
  stft.versions = {17};
  stft.min_inputs = 2;
  stft.max_inputs = 4;
  stft.attributes = {{"onesided", AttributeKind::Integer}};
  stft.special_numbers = dft.special_numbers;
  stft.types = kFloats;
  stft.infer = infer_stft;
  stft.work = stft_work;
  stft.evaluate = evaluate_stft;
  return {dft, stft};
}

}  // namespace braid
