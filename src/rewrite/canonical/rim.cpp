#include "rewrite/canonical/rim.h"

#include <algorithm>

namespace braid {
namespace {

/// The entries of a list, one per named axis, spread over all axes of a tensor; `otherwise` where
/// an axis is not named.
std::optional<std::vector<std::int64_t>> spread(std::span<const std::int64_t> list,
                                                const std::vector<std::int64_t>& axes,
                                                std::size_t rank, std::int64_t otherwise) {
  if (list.size() != axes.size()) return std::nullopt;
  std::vector<std::int64_t> all(rank, otherwise);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = front_axis(axes[i], rank);
    if (!axis) return std::nullopt;
    all[*axis] = list[i];
  }
  return all;
}

/// The axes that an input names; the first `count` axes if it is absent.
std::optional<std::vector<std::int64_t>> axes_of(const Graph& graph, const Node& node,
                                                 std::size_t input, std::size_t count) {
  if (input_of(node, input).valid()) return constant_integers(graph, node, input);
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < count; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

/// The rim of the spatial axes; nothing if batch or channels have a rim, or one is negative.
std::optional<Rim> spatial(const std::vector<std::int64_t>& begin,
                           const std::vector<std::int64_t>& end) {
  if (begin.size() < 3) return std::nullopt;
  Rim rim;
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    if (begin[axis] < 0 || end[axis] < 0) return std::nullopt;
    if (axis < 2 && (begin[axis] != 0 || end[axis] != 0)) return std::nullopt;
    if (axis < 2) continue;
    rim.begin.push_back(begin[axis]);
    rim.end.push_back(end[axis]);
  }
  return rim;
}

}  // namespace

bool Rim::is_zero() const {
  const auto none = [](std::int64_t x) { return x == 0; };
  return std::all_of(begin.begin(), begin.end(), none) && std::all_of(end.begin(), end.end(), none);
}

std::optional<ConstantRim> added_rim(const Graph& graph, const Node& pad) {
  if (pad.attributes.text("mode", "constant") != "constant") return std::nullopt;
  ConstantRim result;
  if (input_of(pad, 2).valid()) {
    const Tensor* number = constant_input(graph, pad, 2);
    const auto uniform = number == nullptr ? std::nullopt : uniform_number(*number);
    if (!uniform) return std::nullopt;
    result.number = *uniform;
  }
  const std::size_t rank = graph.value(pad.inputs[0]).type.dims.size();
  const auto pads = constant_integers(graph, pad, 1);
  const auto axes = axes_of(graph, pad, 3, rank);
  if (!pads || !axes || pads->size() != 2 * axes->size()) return std::nullopt;
  const auto begin = spread(std::span(*pads).first(axes->size()), *axes, rank, 0);
  const auto end = spread(std::span(*pads).last(axes->size()), *axes, rank, 0);
  const auto rim = begin && end ? spatial(*begin, *end) : std::nullopt;
  if (!rim) return std::nullopt;
  result.rim = *rim;
  return result;
}

std::optional<Rim> removed_rim(const Graph& graph, const Node& slice) {
  const Dims& from = graph.value(slice.inputs[0]).type.dims;
  const Dims& to = graph.value(slice.outputs[0]).type.dims;
  const auto starts = constant_integers(graph, slice, 1);
  if (!starts) return std::nullopt;
  const auto axes = axes_of(graph, slice, 3, starts->size());
  if (!axes) return std::nullopt;
  if (input_of(slice, 4).valid()) {
    const auto steps = constant_integers(graph, slice, 4);
    if (!steps || std::any_of(steps->begin(), steps->end(), [](auto s) { return s != 1; }))
      return std::nullopt;
  }
  auto begin = spread(*starts, *axes, from.size(), 0);
  if (!begin) return std::nullopt;
  std::vector<std::int64_t> end(from.size());
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    std::int64_t& start = (*begin)[axis];
    if (start < 0) start = std::max<std::int64_t>(0, start + from[axis]);
    start = std::min(start, from[axis]);
    end[axis] = from[axis] - start - to[axis];
  }
  return spatial(*begin, end);
}

}  // namespace braid
