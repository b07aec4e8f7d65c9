#pragma once

#include <string_view>

#include "device/cpu/kernels/kernel.h"

namespace braid::cpu {

/// A copy of a strided view of the first input into a strided view of the output.
struct View {
  Dims dims;
  std::vector<Dims> strides = std::vector<Dims>(2);  ///< of the input and of the output
  std::int64_t first_source = 0;
  std::int64_t first_target = 0;
};

/// The view has the axes of the output, which lies in `order`.
std::optional<Way> prepare_view(const OpCall& call, const View& view, const AxisOrder& order,
                                std::string_view implementation);

/// A copy of the elements in the order of memory, into an output that lies in `order`.
Way prepare_copy_in(const OpCall& call, const AxisOrder& order);

/// Copies a view of any axes, in rows along its last one.
Kernel copy_kernel(const View& view, ElementType element);

/// Copies `count` pieces that follow one another to places that are `step` bytes apart.
void spread_pieces(const std::byte* from, std::size_t bytes, std::byte* to, std::size_t step,
                   std::int64_t count);

}  // namespace braid::cpu
