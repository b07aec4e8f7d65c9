#include <algorithm>
#include <cmath>

#include "device/cpu/kernels/part.h"
#include "device/cpu/kernels/sum_in_double.h"
#include "device/cpu/machine/isa.h"
#include "device/cpu/onednn/onednn.h"
#include "ops/call.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/axes.h"

namespace braid::cpu {
namespace {

/// Whether the input has one number for each element of a line from `axis` on, the same in all
/// lines.
bool is_line(const OpCall& call, std::size_t i, std::int64_t axis) {
  const std::int64_t size = span_of(call.dims(0), axis, call.rank(0));
  const std::int64_t first = std::max<std::int64_t>(0, call.rank(i) - (call.rank(0) - axis));
  return element_count(call.input(i)) == size && span_of(call.dims(i), first, call.rank(i)) == size;
}

/// to = from / sqrt(mean(from^2) + epsilon) * scale, for one line.
[[gnu::always_inline]] inline void divide_by_size(const float* from, std::int64_t count,
                                                  double epsilon, const float* scale, float* to) {
  const double squares = sum_of(from, count, [](float x) __attribute__((always_inline)) {
    return static_cast<double>(x) * static_cast<double>(x);
  });
  const auto factor =
      static_cast<float>(1 / std::sqrt(squares / static_cast<double>(count) + epsilon));
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] * factor * scale[i];
}

}  // namespace

std::optional<Way> prepare_rms_norm(const OpCall& call) {
  if (!all_f32(call)) return std::nullopt;
  const std::int64_t axis =
      normal_axis(call.op, call.attributes->integer("axis", -1), call.rank(0));
  if (!is_line(call, 1, axis)) return std::nullopt;
  const std::int64_t size = span_of(call.dims(0), axis, call.rank(0));
  const double epsilon = call.attributes->real("epsilon", 1e-5F);
  const TensorType type = call.outputs[0];
  Way way;
  way.implementation = "rms_norm";
  way.cuts = cuts_before(type, axis);
  way.make = [=](const Part& part) -> Kernel {
    return [=, range = outermost_range(type, part)](const KernelArgs& args) {
      on_best_isa([&]() __attribute__((always_inline)) {
        for (std::int64_t i = range.begin; i < range.end; i += size)
          divide_by_size(args.in<float>(0) + i, size, epsilon, args.in<float>(1),
                         args.out<float>(0) + i);
      });
    };
  };
  return way;
}

std::optional<Way> prepare_layer_norm(const OpCall& call) {
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
  return prepare_primitive(call, use, candidates(cuts_before(type, axis)));
}

}  // namespace braid::cpu
