#include "device/cpu/kernels/copies.h"
#include "ops/kernels_cpu.h"
#include "ops/slice.h"

namespace braid::cpu {

std::optional<Way> prepare_slice(const KernelCall& call) {
  const OpCall& op = call.op;
  for (std::size_t i = 1; i < op.inputs.size(); ++i)
    if (op.has(i) && op.known[i] == nullptr) return std::nullopt;
  const Dims from = strides_in(op.dims(0), call.inputs[0]);
  const std::vector<SliceRange> ranges = slice_ranges(op);
  View view;
  view.dims = op.outputs[0].dims;
  view.strides[1] = strides_in(view.dims, call.inputs[0]);
  for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
    view.first_source += ranges[axis].start * from[axis];
    view.strides[0].push_back(ranges[axis].step * from[axis]);
  }
  auto way = prepare_view(op, view, call.inputs[0], "copy");
  way->input_orders = {call.inputs[0]};
  return way;
}

}  // namespace braid::cpu
