#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// Bytes of the arena in the form of a strided box: for every combination of indices
/// 0 <= i[k] < dims[k].extent the `element_bytes` bytes from offset + sum of i[k] * dims[k].stride.
struct Region {
  struct Dim {
    std::int64_t extent = 1;
    std::int64_t stride = 0;  ///< in bytes, not negative

    bool operator==(const Dim&) const = default;
  };
  std::int64_t offset = 0;
  std::int64_t element_bytes = 1;
  std::vector<Dim> dims;

  bool operator==(const Region&) const = default;
};

struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

/// The region of a value with this placement, dimension by dimension. Throws Model if the strides
/// do not fit the type, and Unsupported if the layout is none that a Plan knows.
Region region_of(const Value& value, const Placement& placement);
/// The strides of a dense value in its layout: row-major if the layout is empty, channels last for
/// "nwc", "nhwc" and "ndhwc".
std::vector<std::int64_t> dense_strides(const Value& value);

/// The part of a region with indices [begin, end) along an axis.
Region slice(Region region, int axis, std::int64_t begin, std::int64_t end);

/// What a step writes of an output with this placement: all of it, or its part.
Region written_region(const Value& output, const Placement& placement, const Step& step);

bool empty(const Region& region);
/// The bytes from the first of the region to the last. An end that does not fit in 64 bits is the
/// largest number that does.
ByteRange hull(const Region& region);

/// The same bytes with as few dimensions as possible, largest stride first; bytes in a row form one
/// large element.
Region canonical(Region region);
/// Whether two combinations of indices may name the same byte.
bool overlaps_itself(const Region& region);
/// Whether two regions in canonical form share a byte. Exact; but if that would take long, which
/// only interleaved strides that do not divide one another can cause, the answer is yes.
bool overlap(const Region& a, const Region& b);

}  // namespace braid
