#include "device/cpu/kernels/broadcast_rows.h"

#include "device/cpu/kernels/part.h"
#include "ops/shared/broadcast.h"

namespace braid::cpu {

BroadcastRows::BroadcastRows(const OpCall& call) : output_(call.outputs[0]), dims_(output_.dims) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    strides_.push_back(broadcast_strides(call.dims(i), dims_));
}

BroadcastRows BroadcastRows::of(const Part& part) const {
  BroadcastRows rows = *this;
  if (part.count > 1) {
    const CutRange range = cut_range(output_, part.cut, part.index, part.count);
    const auto axis = static_cast<std::size_t>(part.cut.axis);
    for (std::size_t i = 0; i < strides_.size(); ++i)
      rows.first_[i] = range.begin * strides_[i][axis];
    rows.dims_[axis] = range.end - range.begin;
    rows.first_output_ = outermost_range(output_, part).begin;
  }
  join_axes(rows.dims_, rows.strides_);
  return rows;
}

Way prepare_rows(const OpCall& call, std::string_view implementation, RunRows run) {
  Way way;
  way.implementation = implementation;
  way.cuts = cuts_in(call.outputs[0], {});
  way.make = [all = BroadcastRows(call), run](const Part& part) -> Kernel {
    return [rows = all.of(part), run](const KernelArgs& args) { run(rows, args); };
  };
  return way;
}

}  // namespace braid::cpu
