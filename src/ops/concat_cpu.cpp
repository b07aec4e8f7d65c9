#include <numeric>

#include "device/cpu/kernels/copies.h"
#include "device/cpu/kernels/part.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/axes.h"

namespace braid::cpu {

std::optional<Way> prepare_concat(const OpCall& call) {
  const TensorType& output = call.outputs[0];
  const std::int64_t axis = normal_axis(call.op, call.attributes->integer("axis", 0), call.rank(0));
  const std::int64_t outer = view_along(output.dims, axis).outer;
  std::vector<std::size_t> pieces;
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    pieces.push_back(static_cast<std::size_t>(byte_size(call.input(i)) / outer));
  Way way;
  way.implementation = "concat";
  way.cuts = cuts_before(output, axis);
  way.make = [output, outer, pieces](const Part& part) -> Kernel {
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
  return way;
}

}  // namespace braid::cpu
