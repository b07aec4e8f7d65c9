#include <limits>

#include "device/cpu/kernels/part.h"
#include "device/cpu/onednn/onednn.h"
#include "ops/call.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/axes.h"

namespace braid::cpu {
namespace {

/// oneDNN leaves NaN out of a line's largest element. A line that has NaN or infinity, or nothing
/// but negative infinities, is all NaN.
void mend_lines(const KernelArgs& args, const AxisView& lines, CutRange range) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float* from = args.in<float>(0) + range.begin;
  float* to = args.out<float>(0) + range.begin;
  const std::int64_t block = lines.length * lines.inner;
  for (std::int64_t at = 0; at < range.end - range.begin; at += block)
    for (std::int64_t i = at; i < at + lines.inner; ++i) {
      bool undefined = false;
      bool nothing = true;
      for (std::int64_t k = i; k < at + block; k += lines.inner) {
        undefined = undefined || !(from[k] < infinity);
        nothing = nothing && from[k] == -infinity;
      }
      if (!undefined && !nothing) continue;
      for (std::int64_t k = i; k < at + block; k += lines.inner)
        to[k] = std::numeric_limits<float>::quiet_NaN();
    }
}

std::optional<Way> prepare_softmax_as(const OpCall& call, dnnl::algorithm algorithm) {
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
    result.mend = [view, range](const KernelArgs& args) { mend_lines(args, view, range); };
    return result;
  };
  return prepare_primitive(call, use, candidates(cuts_before(type, axis)));
}

}  // namespace

std::optional<Way> prepare_softmax(const OpCall& call) {
  return prepare_softmax_as(call, dnnl::algorithm::softmax_accurate);
}

std::optional<Way> prepare_log_softmax(const OpCall& call) {
  return prepare_softmax_as(call, dnnl::algorithm::softmax_log);
}

}  // namespace braid::cpu
