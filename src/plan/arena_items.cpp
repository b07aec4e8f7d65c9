#include "plan/arena_items.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "plan/accesses.h"
#include "plan/region.h"

namespace braid {
namespace {

using Buffer = ArenaItems::Buffer;

class Buffers {
 public:
  Buffers(const Graph& graph, const std::vector<ViewLink>& links)
      : graph_(graph),
        links_(links),
        links_of_(graph.value_limit()),
        regions_(graph.value_limit()) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      links_of_[links[i].whole.at()].push_back(i);
      links_of_[links[i].piece.at()].push_back(i);
    }
    for (ValueId value : graph.value_ids())
      if (lives_in_arena(graph, value) && !regions_[value.at()]) add(members(value));
  }

  const std::vector<Buffer>& all() const { return buffers_; }
  /// The value's place in its buffer.
  const Region& region(ValueId value) const { return *regions_[value.at()]; }

 private:
  /// The values that links join to this one.
  std::vector<ValueId> members(ValueId start) {
    std::vector<ValueId> found = {start};
    regions_[start.at()] = Region{};
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t link : links_of_[found[i].at()])
        for (ValueId end : {links_[link].whole, links_[link].piece})
          if (!regions_[end.at()]) {
            regions_[end.at()] = Region{};
            found.push_back(end);
          }
    std::sort(found.begin(), found.end());
    return found;
  }

  /// Lays out a buffer: the largest value is dense, the others follow from it link by link.
  void add(std::vector<ValueId> values) {
    const auto bytes = [&](ValueId v) { return byte_size(graph_.value(v).type); };
    const ValueId largest = *std::max_element(
        values.begin(), values.end(), [&](ValueId a, ValueId b) { return bytes(a) < bytes(b); });
    for (ValueId value : values) regions_[value.at()].reset();
    regions_[largest.at()] = region_of(graph_.value(largest), {.offset = 0, .strides = {}});
    std::vector<ValueId> known = {largest};
    for (std::size_t i = 0; i < known.size(); ++i)
      for (std::size_t link : links_of_[known[i].at()]) follow(links_[link], known[i], known);
    for (ValueId value : values)
      if (!regions_[value.at()]) contradict(value);
    const std::int64_t size = hull(*regions_[largest.at()]).end;
    buffers_.push_back({std::move(values), size});
  }

  void follow(const ViewLink& link, ValueId from, std::vector<ValueId>& known) {
    const bool down = link.whole == from;
    const ValueId to = down ? link.piece : link.whole;
    const Region& place = *regions_[from.at()];
    const auto there = down ? piece_region(graph_, link, place) : whole_region(graph_, link, place);
    if (!regions_[to.at()]) {
      if (!there) return;  // another link may lead there
      regions_[to.at()] = there;
      known.push_back(to);
    } else if (there && !same_elements(*regions_[to.at()], *there)) {
      contradict(to);
    }
  }

  [[noreturn]] void contradict(ValueId value) const {
    raise(ErrorKind::Unsupported,
          fmt::format("value {} would have to lie in two places: one of the views that join it to "
                      "others must be lowered as a copy",
                      quote(graph_.value(value).name)));
  }

  const Graph& graph_;
  const std::vector<ViewLink>& links_;
  std::vector<std::vector<std::size_t>> links_of_;
  std::vector<std::optional<Region>> regions_;
  std::vector<Buffer> buffers_;
};

PackItem item_of(const Graph& graph, const Accesses& accesses, const Buffer& buffer) {
  PackItem item{buffer.bytes, {}, {}};
  for (ValueId value : buffer.values) {
    extend(item.last, accesses.users(value));
    const NodeId producer = graph.value(value).producer;
    if (is_view(graph.node(producer))) continue;
    for (StepRef step : accesses.steps(producer)) {
      const auto same = std::find_if(item.first.begin(), item.first.end(),
                                     [&](StepRef s) { return s.stream == step.stream; });
      if (same == item.first.end())
        item.first.push_back(step);
      else
        same->index = std::min(same->index, step.index);
    }
  }
  return item;
}

std::vector<StepRef> steps_with_scratch(const Graph& graph, const HappensBefore& order,
                                        const Plan& plan) {
  std::vector<StepRef> steps;
  for (StepRef ref : order.order())
    if (graph.node(step_at(plan, ref).node).lowering.scratch_bytes > 0) steps.push_back(ref);
  return steps;
}

Placement placement_of(const Value& value, const Region& region, std::int64_t offset) {
  Placement placement{checked_add(offset, region.offset), {}};
  for (const Region::Dim& dim : region.dims) placement.strides.push_back(dim.stride);
  if (same_elements(region, region_of(value, {.offset = region.offset, .strides = {}})))
    placement.strides.clear();
  return placement;
}

}  // namespace

ArenaItems::ArenaItems(const Graph& graph, const Plan& plan, const HappensBefore& order)
    : graph_(graph), regions_(graph.value_limit()) {
  const Accesses accesses(graph, plan);
  Buffers buffers(graph, accesses.links());
  for (const Buffer& buffer : buffers.all()) {
    items_.push_back(item_of(graph, accesses, buffer));
    for (ValueId value : buffer.values) regions_[value.at()] = buffers.region(value);
  }
  buffers_ = buffers.all();
  scratch_ = steps_with_scratch(graph, order, plan);
  for (StepRef ref : scratch_)
    items_.push_back({graph.node(step_at(plan, ref).node).lowering.scratch_bytes, {ref}, {ref}});
}

void ArenaItems::apply(const Packing& packing, Plan& plan) const {
  plan.placements.assign(graph_.value_limit(), {});
  for (auto& stream : plan.streams)
    for (Step& step : stream) step.scratch_offset = -1;
  std::size_t item = 0;
  for (const Buffer& buffer : buffers_) {
    for (ValueId value : buffer.values)
      plan.placements[value.at()] =
          placement_of(graph_.value(value), regions_[value.at()], packing.offsets[item]);
    ++item;
  }
  for (StepRef ref : scratch_)
    plan.streams[ref.stream.at()][static_cast<std::size_t>(ref.index)].scratch_offset =
        packing.offsets[item++];
  plan.arena_bytes = packing.bytes;
}

}  // namespace braid
