#include "device/cpu/kernels/copies.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {

std::optional<Way> prepare_transpose(const KernelCall& call) {
  const Dims& dims = call.op.dims(0);
  const std::size_t rank = dims.size();
  Dims reversed(rank);
  for (std::size_t i = 0; i < rank; ++i) reversed[i] = static_cast<std::int64_t>(rank - 1 - i);
  const Dims from = strides_in(dims, call.inputs[0]);
  View view;
  view.dims = call.op.outputs[0].dims;
  view.strides[1] = strides_in(view.dims, {});
  for (const std::int64_t axis : call.op.attributes->integers("perm", reversed))
    view.strides[0].push_back(from[static_cast<std::size_t>(axis)]);
  auto way = prepare_view(call.op, view, {}, "copy");
  way->input_orders = {call.inputs[0]};
  return way;
}

}  // namespace braid::cpu
