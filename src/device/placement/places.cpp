#include "device/placement/places.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "device/placement/pitch.h"
#include "graph/hash.h"
#include "ops/shared/elements.h"
#include "plan/region.h"
#include "plan/view.h"

namespace braid {
namespace {

template <class T>
Place add(Place::Kind kind, std::vector<T>& list, T entry) {
  list.push_back(std::move(entry));
  return {kind, static_cast<std::int64_t>(list.size()) - 1};
}

}  // namespace

Places::Places(const Graph& lowered, const Plan& plan, AlignedConstants& aligned)
    : graph_(lowered), plan_(plan), aligned_(aligned), places_(lowered.value_limit()) {
  if (plan.graph != hash(lowered, HashWeights::TypesOnly))
    raise(ErrorKind::Model, "the plan was made for another graph: make it again");
  if (plan.placements.size() != lowered.value_limit())
    raise(ErrorKind::Model, fmt::format("the plan places {} values, the graph has {}",
                                        plan.placements.size(), lowered.value_limit()));
  for (const ValueId id : lowered.inputs())
    places_[id.at()] = add(Place::Kind::Input, input_types, lowered.value(id).type);
  for (const ValueId id : lowered.value_ids())
    if (lives_in_arena(lowered, id)) places_[id.at()] = in_arena(id);
  for (const GraphOutput& output : lowered.outputs()) {
    Place& place = places_[output.value.at()];
    if (lowered.is_constant(output.value))
      kept(output.value);
    else if (place.kind == Place::Kind::Absent)
      place = add(Place::Kind::Output, output_types, lowered.value(output.value).type);
    outputs.push_back(place);
  }
}

Place Places::kept(ValueId id) {
  if (!id.valid()) return {};
  Place& place = places_[id.at()];
  if (graph_.is_constant(id) && place.kind == Place::Kind::Absent)
    place = add(Place::Kind::Constant, constants, aligned_.of(id));
  return place;
}

Place Places::in_arena(ValueId id) const {
  const Value& value = graph_.value(id);
  const Region region = region_of(value, plan_.placements[id.at()]);
  const ByteRange bytes = hull(region);
  const bool is_piece = std::ranges::any_of(value.consumers, [&](NodeId reader) {
    return is_view(graph_.node(reader)) && elements_of(graph_.node(reader)) == Elements::Joined;
  });
  check_range(bytes.begin, bytes.size(), is_piece ? region.element_bytes : kArenaAlignment);
  return {Place::Kind::Arena, bytes.begin};
}

std::int64_t Places::pitch(const Node& node, bool takes_pitch) const {
  std::int64_t pitch = 0;
  const auto check = [&](ValueId id, bool may_lie_apart) {
    if (!id.valid()) return;
    const std::int64_t own = pitch_of(graph_.value(id), plan_.placements[id.at()]);
    if (own != 0 && !may_lie_apart)
      raise(ErrorKind::Unsupported,
            fmt::format("the plan places the rows of value {} apart, and '{}' needs them behind "
                        "one another",
                        quote(graph_.value(id).name), node.lowering.implementation));
    if (own != 0) pitch = own;
  };
  for (const ValueId id : node.inputs) check(id, false);
  for (const ValueId id : node.outputs) check(id, takes_pitch && id == node.outputs[0]);
  return pitch;
}

void Places::check_range(std::int64_t offset, std::int64_t bytes, std::int64_t alignment) const {
  if (offset < 0 || offset % alignment != 0 || bytes > plan_.arena_bytes ||
      offset > plan_.arena_bytes - bytes)
    raise(ErrorKind::Model, fmt::format("the plan places {} bytes at {} in an arena of {}", bytes,
                                        offset, plan_.arena_bytes));
}

}  // namespace braid
