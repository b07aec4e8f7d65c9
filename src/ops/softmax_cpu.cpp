#include "device/cpu/kernels/part.h"
#include "device/cpu/onednn/onednn.h"
#include "ops/call.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/axes.h"

namespace braid::cpu {
namespace {

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
