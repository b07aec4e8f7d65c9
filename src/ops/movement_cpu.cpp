#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "device/cpu/isa.h"
#include "device/cpu/kernels.h"
#include "device/cpu/part.h"
#include "ops/axes.h"
#include "ops/kernels_cpu.h"
#include "ops/slice.h"
#include "ops/strided.h"
#include "tensor/element.h"

namespace braid::cpu {
namespace {

/// A copy of a strided view of the first input into a strided view of the output.
struct View {
  Dims dims;
  std::vector<Dims> strides = std::vector<Dims>(2);  ///< of the input and of the output
  std::int64_t first_source = 0;
  std::int64_t first_target = 0;
};

template <class T>
void copy_view(const View& view, const T* from, T* to) {
  each_row(view.dims, view.strides,
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             const T* source = from + view.first_source + offsets[0];
             T* target = to + view.first_target + offsets[1];
             if (steps[0] == 1 && steps[1] == 1) {
               std::memcpy(target, source, static_cast<std::size_t>(count) * sizeof(T));
             } else {
               for (std::int64_t i = 0; i < count; ++i) target[i * steps[1]] = source[i * steps[0]];
             }
           });
}

/// The axes of a view in the order in which its output lies in memory, joined where that is one
/// row.
View in_memory_order(View view, const AxisOrder& order) {
  view.dims = permuted(view.dims, order);
  for (Dims& strides : view.strides) strides = permuted(strides, order);
  join_axes(view.dims, view.strides);
  return view;
}

/// The part of the view that a part of the output is; its cut goes along an axis of the view.
View cut_view(View view, const TensorType& output, const Part& part) {
  if (part.count == 1) return view;
  const auto axis = static_cast<std::size_t>(part.cut.axis);
  const CutRange range = cut_range(output, part.cut, part.index, part.count);
  view.first_source += range.begin * view.strides[0][axis];
  view.first_target += range.begin * view.strides[1][axis];
  view.dims[axis] = range.end - range.begin;
  return view;
}

/// The view has the axes of the output, which lies in `order`.
std::optional<Prepared> prepare_view(const OpCall& call, const View& view, const AxisOrder& order,
                                     std::string_view implementation) {
  const TensorType& output = call.outputs[0];
  Prepared prepared;
  prepared.implementation = implementation;
  prepared.cuts = cuts_in(output, order);
  prepared.output_orders = {order};
  prepared.make = [view, output, order](const Part& part) -> Kernel {
    const View mine = in_memory_order(cut_view(view, output, part), order);
    return [mine, element = output.element](const KernelArgs& args) {
      dispatch_size(element, [&](auto tag) {
        using T = typename decltype(tag)::type;
        copy_view(mine, args.in<T>(0), args.out<T>(0));
      });
    };
  };
  return prepared;
}

/// Copies `count` pieces that follow one another to places that are `step` bytes apart.
void spread_pieces(const std::byte* from, std::size_t bytes, std::byte* to, std::size_t step,
                   std::int64_t count) {
  using Vector [[gnu::vector_size(64), gnu::aligned(1), gnu::may_alias]] = char;
  constexpr std::size_t longest = 2048;  // longer ones are worth a call
  if (bytes % sizeof(Vector) != 0 || bytes > longest) {
    for (std::int64_t i = 0; i < count; ++i, from += bytes, to += step)
      std::memcpy(to, from, bytes);
    return;
  }
  on_best_isa([&]() __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < count; ++i, from += bytes, to += step)
      for (std::size_t at = 0; at < bytes; at += sizeof(Vector)) {
        *reinterpret_cast<Vector*>(to + at) = *reinterpret_cast<const Vector*>(from + at);
        asm volatile("");  // or the compiler calls memcpy after all
      }
  });
}

/// A copy of the elements in the order of memory, into an output that lies in `order`.
Prepared prepare_copy_in(const OpCall& call, const AxisOrder& order) {
  const TensorType& output = call.outputs[0];
  const std::int64_t row =
      output.dims.empty() ? 1 : output.dims[whole_order(order, output.dims.size()).back()];
  Prepared prepared;
  prepared.implementation = "copy";
  prepared.cuts = cuts_in(output, order);
  prepared.takes_pitch = true;
  prepared.make = [output, row](const Part& part) -> Kernel {
    const CutRange range = outermost_range(output, part);
    const auto size = static_cast<std::size_t>(byte_size(output) / element_count(output));
    return [=](const KernelArgs& args) {
      const auto bytes = [=](std::int64_t elements) {
        return static_cast<std::size_t>(elements) * size;
      };
      const std::byte* from = args.inputs[0] + bytes(range.begin);
      const std::int64_t count = range.end - range.begin;
      const bool whole_rows = count % row == 0;  // else the output is a single row
      if (args.pitch == 0 || !whole_rows)
        std::memcpy(args.outputs[0] + bytes(range.begin), from, bytes(count));
      else
        spread_pieces(from, bytes(row), args.outputs[0] + bytes(range.begin / row * args.pitch),
                      bytes(args.pitch), count / row);
    };
  };
  return prepared;
}

}  // namespace

std::optional<Prepared> prepare_copy(const OpCall& call) {
  if (call.outputs.size() != 1) return std::nullopt;
  return prepare_copy_in(call, {});
}

std::optional<Prepared> prepare_identity(const KernelCall& call) {
  const Dims& dims = call.op.dims(0);
  if (same_places(dims, call.inputs[0], call.output)) {
    Prepared prepared = prepare_copy_in(call.op, call.output);
    prepared.input_orders = {call.inputs[0]};
    prepared.output_orders = {call.output};
    return prepared;
  }
  std::optional<Prepared> prepared = prepare_reorder(call);
  if (!prepared) {
    const View view{dims, {strides_in(dims, call.inputs[0]), strides_in(dims, call.output)}};
    prepared = prepare_view(call.op, view, call.output, kReorder);
  }
  prepared->input_orders = {call.inputs[0]};
  prepared->output_orders = {call.output};
  return prepared;
}

std::optional<Prepared> prepare_transpose(const KernelCall& call) {
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
  auto prepared = prepare_view(call.op, view, {}, "copy");
  prepared->input_orders = {call.inputs[0]};
  return prepared;
}

std::optional<Prepared> prepare_slice(const KernelCall& call) {
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
  auto prepared = prepare_view(op, view, call.inputs[0], "copy");
  prepared->input_orders = {call.inputs[0]};
  return prepared;
}

std::optional<Prepared> prepare_concat(const OpCall& call) {
  const TensorType& output = call.outputs[0];
  const std::int64_t axis = normal_axis(call.op, call.attributes->integer("axis", 0), call.rank(0));
  const std::int64_t outer = view_along(output.dims, axis).outer;
  std::vector<std::size_t> pieces;
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    pieces.push_back(static_cast<std::size_t>(byte_size(call.input(i)) / outer));
  Prepared prepared;
  prepared.implementation = "concat";
  prepared.cuts = cuts_before(output, axis);
  prepared.make = [output, outer, pieces](const Part& part) -> Kernel {
    const CutRange range = outermost_range(output, part);
    const std::int64_t block_elements = element_count(output) / outer;
    const std::int64_t first = range.begin / block_elements;
    const std::int64_t last = range.end / block_elements;
    return
        [first, last, pieces, row = std::accumulate(pieces.begin(), pieces.end(), std::size_t{0})](
            const KernelArgs& args) {
          std::size_t before = 0;
          for (std::size_t i = 0; i < pieces.size(); before += pieces[i++]) {
            std::byte* to = args.outputs[0] + static_cast<std::size_t>(first) * row + before;
            const std::byte* from = args.inputs[i] + static_cast<std::size_t>(first) * pieces[i];
            spread_pieces(from, pieces[i], to, row, last - first);
          }
        };
  };
  return prepared;
}

}  // namespace braid::cpu
