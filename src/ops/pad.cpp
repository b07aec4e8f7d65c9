#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "ops/shared/broadcast.h"
#include "tensor/element.h"

namespace braid {
namespace {

enum class PadMode { Constant, Reflect, Edge, Wrap };

PadMode pad_mode(const OpCall& call) {
  const std::string mode = call.attributes->text("mode", "constant");
  if (mode == "constant") return PadMode::Constant;
  if (mode == "reflect") return PadMode::Reflect;
  if (mode == "edge") return PadMode::Edge;
  if (mode == "wrap") return PadMode::Wrap;
  raise(ErrorKind::Model,
        fmt::format("attribute 'mode' of Pad is {}, expected constant, reflect, edge or wrap",
                    quote(mode)));
}

/// What happens to one axis. Negative pads crop, before anything is added.
struct AxisPad {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t crop_begin() const { return begin < 0 ? -begin : 0; }
  std::int64_t crop_end() const { return end < 0 ? -end : 0; }
};

std::vector<AxisPad> pads_of(const OpCall& call) {
  const std::int64_t rank = call.rank(0);
  std::vector<std::int64_t> all(static_cast<std::size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  const auto axes =
      call.has(3) ? normal_axes(call.op, call.known_integers(3, "the axes"), rank) : all;
  const auto pads = call.known_integers(1, "the pads");
  if (pads.size() != 2 * axes.size())
    raise(ErrorKind::Model, fmt::format("Pad has {} pads for {} axes, expected two for each",
                                        pads.size(), axes.size()));
  std::vector<AxisPad> result(static_cast<std::size_t>(rank));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    AxisPad& pad = result[static_cast<std::size_t>(axes[i])];
    pad = {pads[i], pads[i + axes.size()]};
    const std::int64_t length = call.dims(0)[static_cast<std::size_t>(axes[i])];
    if (pad.begin < -length || pad.end < -length ||
        checked_add(pad.crop_begin(), pad.crop_end()) > length)
      raise(ErrorKind::Model,
            fmt::format("Pad by {} and {} removes more than an axis of length {} has", pad.begin,
                        pad.end, length));
  }
  return result;
}

std::vector<TensorType> infer_pad(const OpCall& call) {
  const PadMode mode = pad_mode(call);
  TensorType type = call.input(0);
  const auto pads = pads_of(call);
  for (std::size_t i = 0; i < pads.size(); ++i) {
    const std::int64_t left = type.dims[i] - pads[i].crop_begin() - pads[i].crop_end();
    type.dims[i] = checked_add(type.dims[i], checked_add(pads[i].begin, pads[i].end));
    if (mode != PadMode::Constant && left == 0 && type.dims[i] > 0)
      raise(ErrorKind::Model, fmt::format("Pad has nothing to repeat along axis {} of shape {}", i,
                                          to_string(call.dims(0))));
  }
  if (call.has(2) && (call.input(2).element != type.element || element_count(call.input(2)) != 1))
    raise(ErrorKind::Model,
          fmt::format("the value of Pad has type {}, expected one element of type {}",
                      to_string(call.input(2)), name(type.element)));
  return {type};
}

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest < 0 ? rest + b : rest;
}

constexpr std::int64_t kPadding = -1;

/// For each index along the padded axis, the index along the input's axis, or kPadding.
std::vector<std::int64_t> sources(std::int64_t length, const AxisPad& pad, PadMode mode) {
  const std::int64_t left = length - pad.crop_begin() - pad.crop_end();
  std::vector<std::int64_t> from(static_cast<std::size_t>(length + pad.begin + pad.end));
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::int64_t at = static_cast<std::int64_t>(i) - std::max<std::int64_t>(pad.begin, 0);
    if (at < 0 || at >= left) {
      switch (mode) {
        case PadMode::Constant:
          from[i] = kPadding;
          continue;
        case PadMode::Edge:
          at = at < 0 ? 0 : left - 1;
          break;
        case PadMode::Wrap:
          at = modulo(at, left);
          break;
        case PadMode::Reflect: {
          const std::int64_t period = std::max<std::int64_t>(2 * (left - 1), 1);
          at = modulo(at, period);
          if (at >= left) at = period - at;
          break;
        }
      }
    }
    from[i] = at + pad.crop_begin();
  }
  return from;
}

template <class T>
void pad_elements(const T* in, const Dims& in_dims,
                  const std::vector<std::vector<std::int64_t>>& maps, T value, const Dims& dims,
                  T* to) {
  const Dims strides = dense_strides(in_dims);
  if (dims.empty()) {
    *to = *in;
    return;
  }
  const std::size_t last = dims.size() - 1;
  const std::int64_t rows = span_of(dims, 0, static_cast<std::int64_t>(last));
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t rest = row;
    std::int64_t offset = 0;
    bool outside = false;
    for (std::size_t i = last; i-- > 0; rest /= dims[i]) {
      const std::int64_t from = maps[i][static_cast<std::size_t>(rest % dims[i])];
      outside = outside || from == kPadding;
      offset += from * strides[i];
    }
    if (outside)
      std::fill_n(to, dims[last], value);
    else
      std::transform(maps[last].begin(), maps[last].end(), to, [&](std::int64_t from) {
        return from == kPadding ? value : in[offset + from];
      });
    to += dims[last];
  }
}

/// The padded tensor. `value` is one element of the output's type, or undefined for zero.
Tensor padded(const Tensor& in, const std::vector<AxisPad>& pads, PadMode mode, const Tensor& value,
              const TensorType& type) {
  Tensor out = Tensor::uninitialised(type);
  if (out.elements() == 0) return out;
  std::vector<std::vector<std::int64_t>> maps;
  for (std::size_t i = 0; i < pads.size(); ++i)
    maps.push_back(sources(in.dims()[i], pads[i], mode));
  dispatch_size(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto elements = [](const Tensor& t) {
      return reinterpret_cast<const T*>(t.bytes().data());
    };
    pad_elements(elements(in), in.dims(), maps, value.defined() ? *elements(value) : T{0},
                 out.dims(), reinterpret_cast<T*>(out.mutable_bytes().data()));
  });
  return out;
}

std::vector<Tensor> evaluate_pad(const OpCall& call, std::span<const Tensor> inputs) {
  return {padded(inputs[0], pads_of(call), pad_mode(call), call.has(2) ? inputs[2] : Tensor{},
                 call.outputs[0])};
}

std::vector<TensorType> infer_center(const OpCall& call) {
  const std::int64_t rank = call.rank(0);
  std::vector<std::int64_t> all(static_cast<std::size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  const auto axes = normal_axes(call.op, call.attributes->integers("axes", all), rank);
  const auto lengths = call.known_integers(1, "the shape");
  if (lengths.size() != axes.size())
    raise(ErrorKind::Model,
          fmt::format("CenterCropPad has {} lengths for {} axes", lengths.size(), axes.size()));
  TensorType type = call.input(0);
  for (std::size_t i = 0; i < axes.size(); ++i)
    type.dims[static_cast<std::size_t>(axes[i])] = lengths[i];
  return {type};
}

/// If the difference is odd, the end gets or loses one element more.
std::vector<Tensor> evaluate_center(const OpCall& call, std::span<const Tensor> inputs) {
  std::vector<AxisPad> pads;
  for (std::size_t i = 0; i < call.dims(0).size(); ++i) {
    const std::int64_t more = call.outputs[0].dims[i] - call.dims(0)[i];
    pads.push_back({more / 2, more - more / 2});
  }
  return {padded(inputs[0], pads, PadMode::Constant, {}, call.outputs[0])};
}

}  // namespace

std::vector<OpDef> pad_ops() {
  OpDef pad;
  pad.name = "Pad";
  pad.kind = OpKind::Movement;
  pad.versions = {1, 2, 11, 13, 18, 19, 21, 23, 24, 25};
  pad.min_inputs = 2;
  pad.max_inputs = 4;
  pad.attributes = {{"mode", AttributeKind::Text}};
  pad.infer = infer_pad;
  pad.evaluate = evaluate_pad;

  OpDef center;
  center.name = "CenterCropPad";
  center.versions = {18};
  center.min_inputs = center.max_inputs = 2;
  center.attributes = {{"axes", AttributeKind::Integers}};
  center.infer = infer_center;
  center.evaluate = evaluate_center;
  return {pad, center};
}

}  // namespace braid
