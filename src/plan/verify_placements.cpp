#include "plan/verify_placements.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "plan/region.h"

namespace braid {
namespace {

constexpr std::int64_t kLargestArena = std::int64_t{1} << 60;

void check_inside(const Plan& plan, std::int64_t begin, std::int64_t end, const std::string& what) {
  if (begin < 0 || end > plan.arena_bytes)
    raise(ErrorKind::Model, fmt::format("{} lies at bytes [{}, {}) of an arena of {} bytes", what,
                                        begin, end, plan.arena_bytes));
}

void check_aligned(std::int64_t offset, std::int64_t alignment, const std::string& what) {
  if (offset % alignment != 0)
    raise(ErrorKind::Model, fmt::format("{} lies at offset {}, which is not a multiple of {}", what,
                                        offset, alignment));
}

void check_value(const Graph& graph, const Plan& plan, ValueId id) {
  const Value& value = graph.value(id);
  const Placement& placement = plan.placements[id.at()];
  const std::string what = "value " + quote(value.name);
  if (!lives_in_arena(graph, id)) {
    if (placement != Placement{})
      raise(
          ErrorKind::Model,
          fmt::format("{} has a place in the arena, but graph inputs, constants and graph outputs "
                      "live outside it",
                      what));
    return;
  }
  if (placement.offset == -1) raise(ErrorKind::Model, what + " has no place in the arena");
  const Region region = region_of(value, placement);
  const ByteRange bytes = hull(region);
  check_inside(plan, bytes.begin, bytes.end, what);
  for (const Region::Dim& dim : region.dims)
    if (dim.extent > 1 && dim.stride % region.element_bytes != 0)
      raise(ErrorKind::Model,
            fmt::format("{} has stride {}, which is not a multiple of its element's {} bytes", what,
                        dim.stride, region.element_bytes));
  if (overlaps_itself(region))
    raise(ErrorKind::Model,
          fmt::format("{} is placed with strides that give two elements one place", what));
}

void check_scratch(const Graph& graph, const Plan& plan, StepRef ref) {
  const Step& step = step_at(plan, ref);
  const std::int64_t bytes = graph.node(step.node).lowering.scratch_bytes;
  if (bytes == 0 && step.scratch_offset == -1) return;
  const std::string who = describe(graph, plan, ref);
  if (bytes == 0)
    raise(ErrorKind::Model,
          fmt::format("{} has a place for scratch, but its node needs none", who));
  if (step.scratch_offset == -1)
    raise(ErrorKind::Model,
          fmt::format("{} needs {} bytes of scratch, but has no place for it", who, bytes));
  const std::string what = "the scratch of " + who;
  check_aligned(step.scratch_offset, kArenaAlignment, what);
  if (bytes < 0 || bytes > plan.arena_bytes)
    raise(ErrorKind::Model,
          fmt::format("{} needs {} bytes in an arena of {}", what, bytes, plan.arena_bytes));
  if (step.scratch_offset < 0 || step.scratch_offset > plan.arena_bytes - bytes)
    raise(ErrorKind::Model,
          fmt::format("{} begins at byte {} and needs {} bytes of an arena of {} bytes", what,
                      step.scratch_offset, bytes, plan.arena_bytes));
}

/// Checks that buffers are aligned and, inside a buffer that views share, values to their elements.
class Alignment {
 public:
  Alignment(const Graph& graph, const Plan& plan, const std::vector<ViewLink>& links)
      : graph_(graph), plan_(plan), parent_(graph.value_limit()), shares_(graph.value_limit()) {
    for (std::size_t i = 0; i < parent_.size(); ++i) parent_[i] = i;
    for (const ViewLink& link : links) join(link.whole, link.piece);
  }

  void check() {
    for (ValueId value : graph_.value_ids()) {
      if (!lives_in_arena(graph_, value)) continue;
      const std::int64_t alignment =
          starts_buffer(value) ? kArenaAlignment : byte_size(graph_.value(value).type.element);
      check_aligned(offset(value), alignment, "value " + quote(graph_.value(value).name));
    }
  }

 private:
  std::int64_t offset(ValueId value) const { return plan_.placements[value.at()].offset; }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }
  /// Joins two values; the root of joined ones is the one with the lowest offset.
  void join(ValueId a, ValueId b) {
    shares_[a.at()] = shares_[b.at()] = true;
    std::size_t x = root(a.at());
    std::size_t y = root(b.at());
    if (plan_.placements[y].offset < plan_.placements[x].offset) std::swap(x, y);
    parent_[y] = x;
  }
  bool starts_buffer(ValueId value) {
    return !shares_[value.at()] || plan_.placements[root(value.at())].offset == offset(value);
  }

  const Graph& graph_;
  const Plan& plan_;
  std::vector<std::size_t> parent_;
  std::vector<bool> shares_;
};

void check_link(const Graph& graph, const Plan& plan, const ViewLink& link) {
  const auto region = [&](ValueId v) { return region_of(graph.value(v), plan.placements[v.at()]); };
  const auto expected = piece_region(graph, link, region(link.whole));
  if (!expected || !same_elements(*expected, region(link.piece)))
    raise(ErrorKind::Model,
          fmt::format("{} is a view, but value {} does not lie in its place inside value {}",
                      describe(graph, graph.value(link.output()).producer),
                      quote(graph.value(link.piece).name), quote(graph.value(link.whole).name)));
}

}  // namespace

void check_placements(const Graph& graph, const Plan& plan, const std::vector<ViewLink>& links) {
  if (plan.arena_bytes < 0 || plan.arena_bytes > kLargestArena)
    raise(ErrorKind::Model, fmt::format("the arena cannot have {} bytes", plan.arena_bytes));
  if (plan.placements.size() != graph.value_limit())
    raise(ErrorKind::Model, fmt::format("the Plan has places for {} values; the graph has {}",
                                        plan.placements.size(), graph.value_limit()));
  for (ValueId value : graph.value_ids()) check_value(graph, plan, value);
  Alignment(graph, plan, links).check();
  for (const ViewLink& link : links) check_link(graph, plan, link);
  for (std::size_t s = 0; s < plan.streams.size(); ++s)
    for (std::size_t i = 0; i < plan.streams[s].size(); ++i)
      check_scratch(graph, plan,
                    {StreamId(static_cast<std::int64_t>(s)), static_cast<std::int32_t>(i)});
}

}  // namespace braid
