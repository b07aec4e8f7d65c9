#include "plan/view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "ops/shared/elements.h"

namespace braid {
namespace {

int axis_of(const Node& node, std::size_t rank) {
  const std::int64_t axis = node.attributes.integer("axis", 0);
  return static_cast<int>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

std::vector<ViewLink> slices(const Graph& graph, ValueId whole, const std::vector<ValueId>& pieces,
                             int axis, bool joins) {
  std::vector<ViewLink> links;
  std::int64_t begin = 0;
  for (ValueId piece : pieces) {
    links.push_back({.whole = whole,
                     .piece = piece,
                     .kind = ViewLink::Kind::Slice,
                     .axis = axis,
                     .begin = begin,
                     .joins = joins});
    begin += graph.value(piece).type.dims[static_cast<std::size_t>(axis)];
  }
  return links;
}

/// The dimensions of extent above 1, merged where one continues the next: equal for two regions
/// exactly if their row-major walks visit the same places.
std::vector<Region::Dim> walk(const Region& region) {
  std::vector<Region::Dim> dims;
  for (const Region::Dim& dim : region.dims) {
    if (dim.extent == 1) continue;
    if (!dims.empty() && dims.back().stride == dim.stride * dim.extent)
      dims.back() = {dims.back().extent * dim.extent, dim.stride};
    else
      dims.push_back(dim);
  }
  return dims;
}

}  // namespace

std::optional<Region> reshaped(const Region& from, const Dims& extents) {
  Region to{from.offset, from.element_bytes, {}};
  for (std::int64_t extent : extents) to.dims.push_back({extent, from.element_bytes});
  if (empty(to)) return to;
  std::vector<Region::Dim> left = walk(from);
  for (std::size_t i = to.dims.size(); i-- > 0;) {
    Region::Dim& dim = to.dims[i];
    if (dim.extent == 1) continue;
    if (left.empty() || left.back().extent % dim.extent != 0) return std::nullopt;
    dim.stride = left.back().stride;
    left.back().extent /= dim.extent;
    left.back().stride *= dim.extent;
    if (left.back().extent == 1) left.pop_back();
  }
  return left.empty() ? std::optional(to) : std::nullopt;
}

std::optional<std::string> rejects_view(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Elements elements = elements_of(node);
  const bool joins = elements == Elements::Joined;
  if (elements == Elements::Computed)
    return fmt::format("operator {} changes elements", printable(node.op));
  if (elements != Elements::Parted && node.outputs.size() > 1 && node.outputs[1].valid())
    return "its second output must be computed";
  const auto in_arena = [&](ValueId value) {
    return value.valid() && lives_in_arena(graph, value);
  };
  const std::size_t inputs = joins ? node.inputs.size() : 1;
  if (node.inputs.empty() ||
      !std::all_of(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(inputs),
                   in_arena))
    return "an input does not live in the arena";
  if (node.outputs.empty() || !std::all_of(node.outputs.begin(), node.outputs.end(), in_arena))
    return "an output does not live in the arena";
  for (std::size_t i = 0; joins && i < inputs; ++i)
    if (std::find(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(i),
                  node.inputs[i]) != node.inputs.begin() + static_cast<std::ptrdiff_t>(i))
      return "an input would have to lie in two places";
  return std::nullopt;
}

std::vector<ViewLink> view_links(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const ValueId first = node.inputs[0];
  const std::size_t rank = graph.value(first).type.dims.size();
  switch (elements_of(node)) {
    case Elements::Joined:
      return slices(graph, node.outputs[0], node.inputs, axis_of(node, rank), true);
    case Elements::Parted:
      return slices(graph, first, node.outputs, axis_of(node, rank), false);
    case Elements::Permuted:
      return {{.whole = first,
               .piece = node.outputs[0],
               .kind = ViewLink::Kind::Permuted,
               .permutation = permutation_of(graph, node)}};
    case Elements::Copied:
    case Elements::Renamed:
      return {{.whole = first, .piece = node.outputs[0]}};
    case Elements::Computed:
      break;
  }
  raise(ErrorKind::Internal, "links of a node that is no view");
}

std::optional<Region> piece_region(const Graph& graph, const ViewLink& link, const Region& whole) {
  const Dims& extents = graph.value(link.piece).type.dims;
  switch (link.kind) {
    case ViewLink::Kind::SameOrder:
      return reshaped(whole, extents);
    case ViewLink::Kind::Slice:
      return slice(whole, link.axis, link.begin,
                   link.begin + extents[static_cast<std::size_t>(link.axis)]);
    case ViewLink::Kind::Permuted:
      break;
  }
  Region piece = whole;
  for (std::size_t i = 0; i < piece.dims.size(); ++i)
    piece.dims[i] = whole.dims[link.permutation[i]];
  return piece;
}

std::optional<Region> whole_region(const Graph& graph, const ViewLink& link, const Region& piece) {
  if (link.kind == ViewLink::Kind::Slice) return std::nullopt;
  if (link.kind == ViewLink::Kind::SameOrder)
    return reshaped(piece, graph.value(link.whole).type.dims);
  Region whole = piece;
  for (std::size_t i = 0; i < whole.dims.size(); ++i)
    whole.dims[link.permutation[i]] = piece.dims[i];
  return whole;
}

bool same_elements(const Region& a, const Region& b) {
  if (empty(a) && empty(b)) return true;
  return a.offset == b.offset && a.element_bytes == b.element_bytes && walk(a) == walk(b);
}

}  // namespace braid
