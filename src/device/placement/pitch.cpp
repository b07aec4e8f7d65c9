#include "device/placement/pitch.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/layout.h"
#include "plan/region.h"

namespace braid {

std::int64_t pitch_of(const Value& value, const Placement& placement) {
  if (placement.strides.empty()) return 0;
  const Region region = region_of(value, placement);
  const std::size_t rank = region.dims.size();
  const AxisOrder axes = whole_order(*order_named(value.layout, rank), rank);
  std::int64_t pitch = 0;
  std::int64_t expected = region.element_bytes;
  bool rows_only = true;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const Region::Dim& dim = region.dims[axes[i]];
    if (dim.extent == 1) continue;
    const bool is_row = i + 1 == axes.size();
    if (!is_row && pitch == 0) {
      rows_only = rows_only && dim.stride >= expected;
      expected = pitch = dim.stride;
    }
    rows_only = rows_only && dim.stride == expected;
    expected = dim.stride * dim.extent;
  }
  if (!rows_only)
    raise(
        ErrorKind::Unsupported,
        fmt::format("the plan places value {} with strides that no kernel can follow: its rows may "
                    "lie apart, but nothing else",
                    quote(value.name)));
  const bool dense = rank == 0 || pitch == region.dims[axes.back()].extent * region.element_bytes;
  return dense ? 0 : pitch / region.element_bytes;
}

}  // namespace braid
