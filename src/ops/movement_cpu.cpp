#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

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

std::optional<Prepared> prepare_view(const OpCall& call, View view) {
  join_axes(view.dims, view.strides);
  Prepared prepared;
  prepared.implementation = "copy";
  prepared.make = [view, element = call.outputs[0].element](const Part&) -> Kernel {
    return [view, element](const KernelArgs& args) {
      dispatch_size(element, [&](auto tag) {
        using T = typename decltype(tag)::type;
        copy_view(view, args.in<T>(0), args.out<T>(0));
      });
    };
  };
  return prepared;
}

}  // namespace

std::optional<Prepared> prepare_copy(const OpCall& call) {
  if (call.outputs.size() != 1) return std::nullopt;
  Prepared prepared;
  prepared.implementation = "copy";
  prepared.make = [bytes = byte_size(call.outputs[0])](const Part&) -> Kernel {
    return [bytes](const KernelArgs& args) {
      std::memcpy(args.outputs[0], args.inputs[0], static_cast<std::size_t>(bytes));
    };
  };
  return prepared;
}

std::optional<Prepared> prepare_transpose(const OpCall& call) {
  const std::size_t rank = call.dims(0).size();
  Dims reversed(rank);
  for (std::size_t i = 0; i < rank; ++i) reversed[i] = static_cast<std::int64_t>(rank - 1 - i);
  const Dims permutation = call.attributes->integers("perm", reversed);
  const Dims from = dense_strides(call.dims(0));
  View view;
  view.dims = call.outputs[0].dims;
  view.strides[1] = dense_strides(view.dims);
  for (const std::int64_t axis : permutation)
    view.strides[0].push_back(from[static_cast<std::size_t>(axis)]);
  return prepare_view(call, std::move(view));
}

std::optional<Prepared> prepare_slice(const OpCall& call) {
  for (std::size_t i = 1; i < call.inputs.size(); ++i)
    if (call.has(i) && call.known[i] == nullptr) return std::nullopt;
  const Dims from = dense_strides(call.dims(0));
  const std::vector<SliceRange> ranges = slice_ranges(call);
  View view;
  view.dims = call.outputs[0].dims;
  view.strides[1] = dense_strides(view.dims);
  for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
    view.first_source += ranges[axis].start * from[axis];
    view.strides[0].push_back(ranges[axis].step * from[axis]);
  }
  return prepare_view(call, std::move(view));
}

std::optional<Prepared> prepare_pad(const OpCall& call) {
  if (call.attributes->text("mode", "constant") != "constant") return std::nullopt;
  for (const std::size_t i : {1, 3})
    if (call.has(i) && call.known[i] == nullptr) return std::nullopt;
  const std::int64_t rank = call.rank(0);
  const std::vector<std::int64_t> pads = call.known_integers(1, "the pads");
  std::vector<std::int64_t> axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (call.has(3)) axes = normal_axes(call.op, call.known_integers(3, "the axes"), rank);
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p < 0; }))
    return std::nullopt;
  View view;
  view.dims = call.dims(0);
  view.strides = {dense_strides(view.dims), dense_strides(call.outputs[0].dims)};
  for (std::size_t i = 0; i < axes.size(); ++i)
    view.first_target += pads[i] * view.strides[1][static_cast<std::size_t>(axes[i])];
  const bool given = call.has(2);
  const std::int64_t count = element_count(call.outputs[0]);
  Prepared prepared;
  prepared.implementation = "pad";
  prepared.make = [view, given, count, element = call.outputs[0].element](const Part&) -> Kernel {
    return [view, given, count, element](const KernelArgs& args) {
      dispatch_size(element, [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::fill_n(args.out<T>(0), count, given ? *args.in<T>(2) : T{0});
        copy_view(view, args.in<T>(0), args.out<T>(0));
      });
    };
  };
  return prepared;
}

std::optional<Prepared> prepare_concat(const OpCall& call) {
  const std::int64_t axis = normal_axis(call.op, call.attributes->integer("axis", 0), call.rank(0));
  const std::int64_t outer = view_along(call.outputs[0].dims, axis).outer;
  std::vector<std::size_t> pieces;
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    pieces.push_back(static_cast<std::size_t>(byte_size(call.input(i)) / outer));
  Prepared prepared;
  prepared.implementation = "concat";
  prepared.make = [outer, pieces](const Part&) -> Kernel {
    return [outer, pieces](const KernelArgs& args) {
      std::byte* to = args.outputs[0];
      for (std::int64_t block = 0; block < outer; ++block)
        for (std::size_t i = 0; i < pieces.size(); ++i) {
          std::memcpy(to, args.inputs[i] + static_cast<std::size_t>(block) * pieces[i], pieces[i]);
          to += pieces[i];
        }
    };
  };
  return prepared;
}

}  // namespace braid::cpu
