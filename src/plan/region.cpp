#include "plan/region.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "graph/layout.h"

namespace braid {
namespace {

/// The dimensions of a dense layout from the slowest to the fastest.
AxisOrder memory_order(const Value& value) {
  const std::size_t rank = value.type.dims.size();
  const auto order = order_named(value.layout, rank);
  if (!order)
    raise(ErrorKind::Unsupported,
          fmt::format("value {} ({}) has layout {}, which no Plan can place", quote(value.name),
                      to_string(value.type), quote(value.layout)));
  return whole_order(*order, rank);
}

/// Looks for x[k] with sum(c[k] * x[k]) = target, where x[k] lies in [low[k], high[k]]. The terms
/// come largest coefficient first, so that what the smaller ones can still add leaves few
/// candidates for each x[k].
class Search {
 public:
  struct Term {
    std::int64_t coefficient = 1;
    std::int64_t low = 0;
    std::int64_t high = 0;
  };

  explicit Search(std::vector<Term> terms) : terms_(std::move(terms)), reach_(terms_.size() + 1) {
    std::sort(terms_.begin(), terms_.end(),
              [](const Term& a, const Term& b) { return a.coefficient > b.coefficient; });
    for (std::size_t k = terms_.size(); k-- > 0;) {
      reach_[k].begin = reach_[k + 1].begin + terms_[k].coefficient * terms_[k].low;
      reach_[k].end = reach_[k + 1].end + terms_[k].coefficient * terms_[k].high;
    }
  }

  bool solvable(std::int64_t target) { return solvable(0, target); }

 private:
  static std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the regions have dimensions
  bool solvable(std::size_t k, std::int64_t target) {
    if (target < reach_[k].begin || target > reach_[k].end) return false;
    if (k == terms_.size() || --patience_ < 0) return true;
    const Term& term = terms_[k];
    const std::int64_t first = std::max(
        term.low, floor_div(target - reach_[k + 1].end + term.coefficient - 1, term.coefficient));
    const std::int64_t last =
        std::min(term.high, floor_div(target - reach_[k + 1].begin, term.coefficient));
    for (std::int64_t x = first; x <= last; ++x)
      if (solvable(k + 1, target - x * term.coefficient)) return true;
    return false;
  }

  std::vector<Term> terms_;
  std::vector<ByteRange> reach_;  // smallest and largest sum of the terms from k on
  int patience_ = 20'000;
};

void add_term(std::vector<Search::Term>& terms, std::int64_t coefficient, std::int64_t low,
              std::int64_t high) {
  for (Search::Term& term : terms) {
    if (term.coefficient != coefficient) continue;
    term.low += low;
    term.high += high;
    return;
  }
  terms.push_back({coefficient, low, high});
}

}  // namespace

std::vector<std::int64_t> dense_strides(const Value& value) {
  std::vector<std::int64_t> strides(value.type.dims.size());
  const std::vector<std::size_t> order = memory_order(value);
  std::int64_t stride = byte_size(value.type.element);
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride = checked_mul(stride, std::max<std::int64_t>(value.type.dims[order[i]], 1));
  }
  return strides;
}

Region region_of(const Value& value, const Placement& placement) {
  const Dims& dims = value.type.dims;
  if (!placement.strides.empty() && placement.strides.size() != dims.size())
    raise(ErrorKind::Model,
          fmt::format("value {} ({}) is placed with {} strides; expected {}", quote(value.name),
                      to_string(value.type), placement.strides.size(), dims.size()));
  const std::vector<std::int64_t> strides =
      placement.strides.empty() ? dense_strides(value) : placement.strides;
  Region region{placement.offset, byte_size(value.type.element), {}};
  region.dims.reserve(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (strides[i] < 0)
      raise(ErrorKind::Model, fmt::format("value {} is placed with the negative stride {}",
                                          quote(value.name), strides[i]));
    region.dims.push_back({dims[i], strides[i]});
  }
  return region;
}

Region slice(Region region, int axis, std::int64_t begin, std::int64_t end) {
  Region::Dim& dim = region.dims[static_cast<std::size_t>(axis)];
  region.offset = checked_add(region.offset, checked_mul(begin, dim.stride));
  dim.extent = end - begin;
  return region;
}

Region written_region(const Value& output, const Placement& placement, const Step& step) {
  Region region = region_of(output, placement);
  if (step.parts == 1) return region;
  const CutRange range = cut_range(output.type, step.cut, step.part, step.parts);
  return slice(std::move(region), step.cut.axis, range.begin, range.end);
}

bool empty(const Region& region) {
  return std::any_of(region.dims.begin(), region.dims.end(),
                     [](const Region::Dim& dim) { return dim.extent == 0; });
}

ByteRange hull(const Region& region) {
  if (empty(region)) return {region.offset, region.offset};
  ByteRange range{region.offset, 0};
  bool too_large = __builtin_add_overflow(region.offset, region.element_bytes, &range.end);
  for (const Region::Dim& dim : region.dims) {
    std::int64_t reach = 0;
    too_large |= __builtin_mul_overflow(dim.extent - 1, dim.stride, &reach);
    too_large |= __builtin_add_overflow(range.end, reach, &range.end);
  }
  if (too_large) range.end = std::numeric_limits<std::int64_t>::max();
  return range;
}

Region canonical(Region region) {
  if (empty(region)) return {region.offset, 0, {}};
  auto& dims = region.dims;
  std::erase_if(dims, [](const Region::Dim& dim) { return dim.extent == 1 || dim.stride == 0; });
  std::sort(dims.begin(), dims.end(),
            [](const Region::Dim& a, const Region::Dim& b) { return a.stride < b.stride; });
  std::vector<Region::Dim> merged;  // smallest stride first
  for (const Region::Dim& dim : dims) {
    if (merged.empty() && dim.stride <= region.element_bytes)
      region.element_bytes += (dim.extent - 1) * dim.stride;
    else if (!merged.empty() && dim.stride == merged.back().stride * merged.back().extent)
      merged.back().extent *= dim.extent;
    else
      merged.push_back(dim);
  }
  dims.assign(merged.rbegin(), merged.rend());
  return region;
}

bool overlaps_itself(const Region& region) {
  if (empty(region)) return false;
  auto dims = region.dims;
  std::erase_if(dims, [](const Region::Dim& dim) { return dim.extent == 1; });
  std::sort(dims.begin(), dims.end(),
            [](const Region::Dim& a, const Region::Dim& b) { return a.stride < b.stride; });
  Region inner{0, region.element_bytes, {}};
  for (const Region::Dim& dim : dims) {
    if (dim.stride < hull(inner).end) return true;
    inner.dims.push_back(dim);
  }
  return false;
}

bool overlap(const Region& a, const Region& b) {
  if (a.element_bytes == 0 || b.element_bytes == 0) return false;
  const ByteRange hull_a = hull(a);
  const ByteRange hull_b = hull(b);
  if (hull_a.end <= hull_b.begin || hull_b.end <= hull_a.begin) return false;
  if (a.dims.empty() && b.dims.empty()) return true;
  // A shared byte: a.offset + sum(i * stride) + p = b.offset + sum(j * stride) + q.
  std::vector<Search::Term> terms;
  for (const Region::Dim& dim : a.dims) add_term(terms, dim.stride, 0, dim.extent - 1);
  for (const Region::Dim& dim : b.dims) add_term(terms, dim.stride, 1 - dim.extent, 0);
  add_term(terms, 1, 1 - b.element_bytes, a.element_bytes - 1);
  return Search(std::move(terms)).solvable(b.offset - a.offset);
}

}  // namespace braid
