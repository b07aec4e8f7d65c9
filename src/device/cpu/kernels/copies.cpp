#include "device/cpu/kernels/copies.h"

#include <algorithm>
#include <cstring>

#include "device/cpu/kernels/part.h"
#include "device/cpu/machine/isa.h"
#include "ops/shared/strided.h"
#include "tensor/element.h"

namespace braid::cpu {
namespace {

template <class T>
void copy_view(const View& view, const T* from, T* to) {
  each_row(view.dims, view.strides,
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             const T* source = from + view.first_source + offsets[0];
             T* target = to + view.first_target + offsets[1];
             if (steps[0] == 1 && steps[1] == 1) {
               std::memcpy(target, source, static_cast<std::size_t>(count) * sizeof(T));
             } else if (steps[0] == 0 && steps[1] == 1) {
               std::fill_n(target, count, *source);
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

}  // namespace

std::optional<Way> prepare_view(const OpCall& call, const View& view, const AxisOrder& order,
                                std::string_view implementation) {
  const TensorType& output = call.outputs[0];
  Way way;
  way.implementation = implementation;
  way.cuts = cuts_in(output, order);
  way.output_orders = {order};
  way.make = [view, output, order](const Part& part) -> Kernel {
    return copy_kernel(in_memory_order(cut_view(view, output, part), order), output.element);
  };
  return way;
}

Kernel copy_kernel(const View& view, ElementType element) {
  return [view, element](const KernelArgs& args) {
    dispatch_size(element, [&](auto tag) {
      using T = typename decltype(tag)::type;
      copy_view(view, args.in<T>(0), args.out<T>(0));
    });
  };
}

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

Way prepare_copy_in(const OpCall& call, const AxisOrder& order) {
  const TensorType& output = call.outputs[0];
  const std::int64_t row =
      output.dims.empty() ? 1 : output.dims[whole_order(order, output.dims.size()).back()];
  Way way;
  way.implementation = "copy";
  way.cuts = cuts_in(output, order);
  way.takes_pitch = true;
  way.make = [output, row](const Part& part) -> Kernel {
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
  return way;
}

}  // namespace braid::cpu
