#include "device/cpu/kernels/part.h"
#include "device/cpu/kernels/ways.h"
#include "device/cpu/onednn/onednn.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {

std::optional<Way> prepare_reorder(const KernelCall& call) {
  const TensorType& output = call.op.outputs[0];
  if (output.element != ElementType::F32) return std::nullopt;
  const Dims from = strides_in(output.dims, call.inputs[0]);
  const Dims to = strides_in(output.dims, call.output);
  const auto use = [output, from, to](const Part& part) -> std::optional<PrimitiveUse> {
    Dims dims = output.dims;
    std::int64_t source = 0;
    std::int64_t target = 0;
    if (part.count > 1) {
      const auto axis = static_cast<std::size_t>(part.cut.axis);
      const CutRange range = cut_range(output, part.cut, part.index, part.count);
      dims[axis] = range.end - range.begin;
      source = range.begin * from[axis] * std::int64_t{sizeof(float)};
      target = range.begin * to[axis] * std::int64_t{sizeof(float)};
    }
    const auto desc = usable([&] {
      return dnnl::reorder::primitive_desc(engine(), strided(dims, from), engine(),
                                           strided(dims, to), attributes_with({}), true);
    });
    if (!desc) return std::nullopt;
    PrimitiveUse result;
    result.desc = *desc;
    result.inputs = {{DNNL_ARG_FROM, 0, strided(dims, from), strided(dims, from), source}};
    result.output = {DNNL_ARG_TO, 0, strided(dims, to), strided(dims, to), target};
    return result;
  };
  auto way = prepare_primitive(call.op, use, candidates(cuts_in(output, call.output)));
  if (way) way->implementation = kReorder;
  return way;
}

}  // namespace braid::cpu
