#include <algorithm>
#include <cmath>
#include <limits>

#include "device/cpu/isa.h"
#include "device/cpu/onednn.h"
#include "device/cpu/part.h"
#include "ops/axes.h"
#include "ops/epilogue.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

bool all_f32(const OpCall& call) {
  for (const TensorType* type : call.inputs)
    if (type != nullptr && type->element != ElementType::F32) return false;
  return true;
}

std::optional<Prepared> prepare_softmax_as(const OpCall& call, dnnl::algorithm algorithm) {
  if (!all_f32(call)) return std::nullopt;
  const std::int64_t axis =
      normal_axis(call.op, call.attributes->integer("axis", -1), call.rank(0));
  const AxisView view = view_along(call.dims(0), axis);
  const TensorType type = call.outputs[0];
  const auto use = [view, type, algorithm](const Part& part) -> std::optional<PrimitiveUse> {
    const CutRange range = outermost_range(type, part);
    const std::int64_t outer = (range.end - range.begin) / (view.length * view.inner);
    const dnnl::memory::desc flat = row_major({outer, view.length, view.inner});
    const auto desc = usable([&] {
      return dnnl::softmax_forward::primitive_desc(engine(), dnnl::prop_kind::forward_inference,
                                                   algorithm, flat, flat, 1, attributes_with({}),
                                                   true);
    });
    if (!desc) return std::nullopt;
    const std::int64_t offset = range.begin * std::int64_t{sizeof(float)};
    PrimitiveUse result;
    result.desc = *desc;
    result.inputs = {{DNNL_ARG_SRC, 0, flat, flat, offset}};
    result.output = {DNNL_ARG_DST, 0, flat, flat, offset};
    return result;
  };
  return prepare_primitive(call, use, cuts_before(type, axis));
}

/// y = factor * x + shift, one pair for each channel, and nothing below `lowest`.
struct BatchNorm {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t inner = 1;
  float epsilon = 0;
  float lowest = -std::numeric_limits<float>::infinity();

  explicit BatchNorm(const OpCall& call) : epsilon(call.attributes->real("epsilon", 1e-5F)) {
    const Dims& dims = call.dims(0);
    channels = dims.size() > 1 ? dims[1] : 1;
    inner = dims.size() > 1 ? span_of(dims, 2, call.rank(0)) : 1;
    batch = element_count(dims) / (channels * inner);
    if (read_activation(call).activation == Activation::Relu) lowest = 0;
  }

  /// NaN stays NaN.
  [[gnu::always_inline]] float raised(float y) const { return y < lowest ? lowest : y; }

  void run_row_major(const KernelArgs& args) const {
    const float* x = args.in<float>(0);
    float* y = args.out<float>(0);
    on_best_isa([&]() __attribute__((always_inline)) {
      for (std::int64_t n = 0; n < batch; ++n)
        for (std::int64_t c = 0; c < channels; ++c, x += inner, y += inner) {
          const float factor = args.in<float>(1)[c] / std::sqrt(args.in<float>(4)[c] + epsilon);
          const float mean = args.in<float>(3)[c];
          const float shift = args.in<float>(2)[c];
          for (std::int64_t i = 0; i < inner; ++i) y[i] = raised((x[i] - mean) * factor + shift);
        }
    });
  }

  /// The pixels that hold the elements of the range.
  void run_channels_last(const KernelArgs& args, CutRange range) const {
    const float* __restrict scale = args.in<float>(1);
    const float* __restrict shift = args.in<float>(2);
    const float* __restrict mean = args.in<float>(3);
    const float* __restrict variance = args.in<float>(4);
    auto* __restrict factors = reinterpret_cast<float*>(args.scratch);
    on_best_isa([&]() __attribute__((always_inline)) {
      for (std::int64_t c = 0; c < channels; ++c)
        factors[c] = scale[c] / std::sqrt(variance[c] + epsilon);
      for (std::int64_t at = range.begin; at < range.end; at += channels) {
        const float* __restrict x = args.in<float>(0) + at;
        float* __restrict y = args.out<float>(0) + at;
        for (std::int64_t c = 0; c < channels; ++c)
          y[c] = raised((x[c] - mean[c]) * factors[c] + shift[c]);
      }
    });
  }
};

/// Whether the input has one number for each element of a line from `axis` on, the same in all
/// lines.
bool is_line(const OpCall& call, std::size_t i, std::int64_t axis) {
  const std::int64_t size = span_of(call.dims(0), axis, call.rank(0));
  const std::int64_t first = std::max<std::int64_t>(0, call.rank(i) - (call.rank(0) - axis));
  return element_count(call.input(i)) == size && span_of(call.dims(i), first, call.rank(i)) == size;
}

}  // namespace

std::optional<Prepared> prepare_softmax(const OpCall& call) {
  return prepare_softmax_as(call, dnnl::algorithm::softmax_accurate);
}

std::optional<Prepared> prepare_log_softmax(const OpCall& call) {
  return prepare_softmax_as(call, dnnl::algorithm::softmax_log);
}

std::optional<Prepared> prepare_batch_norm(const KernelCall& call) {
  if (!all_f32(call.op)) return std::nullopt;
  const Activation activation = read_activation(call.op).activation;
  if (activation != Activation::None && activation != Activation::Relu) return std::nullopt;
  const BatchNorm kernel(call.op);
  Prepared prepared;
  prepared.implementation = "batch_norm";
  if (call.op.rank(0) < 3) {
    prepared.make = [kernel](const Part&) -> Kernel {
      return [kernel](const KernelArgs& args) { kernel.run_row_major(args); };
    };
    return prepared;
  }
  const AxisOrder order = channels_last_order(call.op.dims(0).size());
  const TensorType output = call.op.outputs[0];
  prepared.scratch_bytes = kernel.channels * std::int64_t{sizeof(float)};
  prepared.input_orders = {order};
  prepared.output_orders = {order};
  prepared.cuts = cuts_in(output, order);
  if (!prepared.cuts.empty() && prepared.cuts[0].axis == 1) prepared.cuts.clear();
  prepared.make = [kernel, output](const Part& part) -> Kernel {
    return [kernel, range = outermost_range(output, part)](const KernelArgs& args) {
      kernel.run_channels_last(args, range);
    };
  };
  return prepared;
}

std::optional<Prepared> prepare_layer_norm(const OpCall& call) {
  if (!all_f32(call) || call.outputs.size() > 1) return std::nullopt;
  const std::int64_t axis =
      normal_axis(call.op, call.attributes->integer("axis", -1), call.rank(0));
  const std::int64_t size = span_of(call.dims(0), axis, call.rank(0));
  const bool shifted = call.has(2);
  if (!is_line(call, 1, axis) || (shifted && !is_line(call, 2, axis))) return std::nullopt;
  auto flags = dnnl::normalization_flags::use_scale;
  if (shifted) flags = flags | dnnl::normalization_flags::use_shift;
  const float epsilon = call.attributes->real("epsilon", 1e-5F);
  const TensorType type = call.outputs[0];
  const auto use = [=](const Part& part) -> std::optional<PrimitiveUse> {
    const CutRange range = outermost_range(type, part);
    const dnnl::memory::desc flat = row_major({(range.end - range.begin) / size, size});
    const auto desc = usable([&] {
      return dnnl::layer_normalization_forward::primitive_desc(
          engine(), dnnl::prop_kind::forward_inference, flat, flat, epsilon, flags,
          attributes_with({}), true);
    });
    if (!desc) return std::nullopt;
    const dnnl::memory::desc line = row_major({size});
    const std::int64_t offset = range.begin * std::int64_t{sizeof(float)};
    PrimitiveUse result;
    result.desc = *desc;
    result.inputs = {{DNNL_ARG_SRC, 0, flat, flat, offset}, {DNNL_ARG_SCALE, 1, line, line}};
    if (shifted) result.inputs.push_back({DNNL_ARG_SHIFT, 2, line, line});
    result.output = {DNNL_ARG_DST, 0, flat, flat, offset};
    return result;
  };
  return prepare_primitive(call, use, cuts_before(type, axis));
}

}  // namespace braid::cpu
