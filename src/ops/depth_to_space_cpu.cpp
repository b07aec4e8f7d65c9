#include <algorithm>
#include <numeric>

#include "device/cpu/kernels/copies.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/strided.h"
#include "plan/plan.h"

namespace braid::cpu {
namespace {

/// The axes that both values have: batch, depth, row of blocks, row in the block, and its column.
enum BlockAxis : std::uint8_t { kBatch, kDepth, kRow, kRowInside, kColumn, kColumnInside };

/// The steps along these axes in a value [N, block x block x depth, H, W].
Dims deep_strides(const Dims& strides, std::int64_t block, std::int64_t depth, bool depth_last) {
  const std::int64_t channel = strides[1];
  const std::int64_t inside = depth_last ? depth : 1;
  return {strides[0], channel * (depth_last ? 1 : block * block),
          strides[2], channel * inside * block,
          strides[3], channel * inside};
}

/// The same in a value [N, depth, H x block, W x block].
Dims wide_strides(const Dims& strides, std::int64_t block) {
  return {strides[0], strides[1], strides[2] * block, strides[2], strides[3] * block, strides[3]};
}

/// The axes in the order in which the output lies, but where its last one makes short rows, the
/// innermost of those that make long ones comes last.
View with_long_rows(const View& view) {
  constexpr std::int64_t long_row = 16;
  AxisOrder order(view.dims.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const Dims& strides = view.strides[1];
    return strides[a] != strides[b] ? strides[a] > strides[b] : a < b;
  });
  View result = view;
  const auto arrange = [&] {
    result.dims = permuted(result.dims, order);
    for (Dims& strides : result.strides) strides = permuted(strides, order);
    join_axes(result.dims, result.strides);
  };
  arrange();
  order.resize(result.dims.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto innermost = std::find_if(order.rbegin(), order.rend(), [&](std::size_t axis) {
    return result.dims[axis] >= long_row;
  });
  if (innermost != order.rend()) std::rotate(innermost.base() - 1, innermost.base(), order.end());
  arrange();
  return result;
}

View part_of(View view, const TensorType& output, const Part& part) {
  if (part.count == 1) return view;
  const CutRange range = cut_range(output, part.cut, part.index, part.count);
  const std::size_t axis = part.cut.axis == 0 ? kBatch : kRow;
  const std::int64_t begin = range.begin / part.cut.grain;
  view.dims[axis] = range.end / part.cut.grain - begin;
  view.first_source = begin * view.strides[0][axis];
  view.first_target = begin * view.strides[1][axis];
  return view;
}

/// Both operators, for values in the order of the input: `wide` has few channels, `deep` many.
Way prepare_blocks(const KernelCall& call, const Dims& wide, const Dims& deep, bool deepens) {
  const AxisOrder order = call.inputs[0];
  const std::int64_t block = call.op.attributes->integer("blocksize", 1);
  const bool depth_last = call.op.attributes->text("mode", "DCR") == "DCR";
  View view;
  view.dims = {deep[0], wide[1], deep[2], block, deep[3], block};
  view.strides = {deep_strides(strides_in(deep, order), block, wide[1], depth_last),
                  wide_strides(strides_in(wide, order), block)};
  if (deepens) std::swap(view.strides[0], view.strides[1]);
  Way way;
  way.implementation = "depth_space";
  way.input_orders = {order};
  way.output_orders = {order};
  if (deep[0] > 1)
    way.cuts = {{.axis = 0}};
  else if (deep[2] > 1)
    way.cuts = {{.axis = 2, .grain = deepens ? 1 : block}};
  way.make = [view, output = call.op.outputs[0]](const Part& part) {
    return copy_kernel(with_long_rows(part_of(view, output, part)), output.element);
  };
  return way;
}

}  // namespace

std::optional<Way> prepare_depth_to_space(const KernelCall& call) {
  return prepare_blocks(call, call.op.outputs[0].dims, call.op.dims(0), false);
}

std::optional<Way> prepare_space_to_depth(const KernelCall& call) {
  return prepare_blocks(call, call.op.dims(0), call.op.outputs[0].dims, true);
}

}  // namespace braid::cpu
