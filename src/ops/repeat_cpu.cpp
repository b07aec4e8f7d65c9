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

std::optional<Way> prepare_expand(const KernelCall& call) {
  const Dims& from = call.op.dims(0);
  const Dims& to = call.op.outputs[0].dims;
  const AxisOrder& input = call.inputs[0];
  const bool is_free = from.size() < to.size() || same_places(from, input, {});
  const AxisOrder order = is_free ? call.output : input;
  Dims strides = strides_in(from, input);
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] == 1) strides[i] = 0;
  strides.insert(strides.begin(), to.size() - from.size(), 0);
  auto way = prepare_view(call.op, {to, {strides, strides_in(to, order)}}, order, "copy");
  way->input_orders = {input};
  return way;
}

/// An axis that is repeated becomes two: its repeats, which do not move in the input, and itself.
std::optional<Way> prepare_tile(const OpCall& call) {
  const Dims& from = call.dims(0);
  const Dims& to = call.outputs[0].dims;
  const Dims source = strides_in(from, {});
  const Dims target = strides_in(to, {});
  View view;
  view.strides = {{}, {}};
  const auto add_axis = [&](std::int64_t length, std::int64_t source_step,
                            std::int64_t target_step) {
    view.dims.push_back(length);
    view.strides[0].push_back(source_step);
    view.strides[1].push_back(target_step);
  };
  bool is_outermost = true;
  bool can_be_cut = true;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool becomes_two = from[i] > 1 && to[i] > from[i];
    if (becomes_two) add_axis(to[i] / from[i], 0, target[i] * from[i]);
    add_axis(becomes_two ? from[i] : to[i], from[i] > 1 ? source[i] : 0, target[i]);
    if (is_outermost && becomes_two) can_be_cut = false;
    is_outermost &= to[i] == 1;
  }
  auto way = prepare_view(call, view, {}, "copy");
  if (!can_be_cut) way->cuts.clear();
  return way;
}

}  // namespace braid::cpu
