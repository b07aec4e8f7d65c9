#include <algorithm>
#include <cstring>

#include "device/cpu/kernels/part.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/axes.h"
#include "ops/shared/indices.h"

namespace braid::cpu {
namespace {

/// Slices of the data, one for each index, for each block before the axis.
struct Slices {
  AxisView data;
  std::int64_t indices = 0;
  std::int64_t element_bytes = 0;
};

/// A range of the output's elements.
template <class Index>
void gather(const Slices& slices, CutRange range, const KernelArgs& args) {
  const Index* indices = args.in<Index>(1);
  const std::int64_t length = slices.data.inner;
  for (std::int64_t at = range.begin; at < range.end;) {
    const std::int64_t slice = at / length;
    const std::int64_t index =
        normal_index("Gather", indices[slice % slices.indices], slices.data.length);
    const std::int64_t end = std::min((slice + 1) * length, range.end);
    const std::int64_t from =
        (slice / slices.indices * slices.data.length + index) * length + at % length;
    std::memcpy(args.outputs[0] + at * slices.element_bytes,
                args.inputs[0] + from * slices.element_bytes,
                static_cast<std::size_t>((end - at) * slices.element_bytes));
    at = end;
  }
}

}  // namespace

std::optional<Way> prepare_gather(const OpCall& call) {
  const std::int64_t axis = normal_axis(call.op, call.attributes->integer("axis", 0), call.rank(0));
  const Slices slices{view_along(call.dims(0), axis), element_count(call.input(1)),
                      byte_size(call.input(0).element)};
  const bool is_short = call.input(1).element == ElementType::I32;
  Way way;
  way.implementation = "gather";
  way.cuts = cuts_in(call.outputs[0], {});
  way.make = [=, output = call.outputs[0]](const Part& part) -> Kernel {
    const CutRange range = outermost_range(output, part);
    const auto run = is_short ? gather<std::int32_t> : gather<std::int64_t>;
    return [=](const KernelArgs& args) { run(slices, range, args); };
  };
  return way;
}

}  // namespace braid::cpu
