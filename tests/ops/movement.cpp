#include <algorithm>
#include <numeric>

#include "tests/ops/generators.h"

namespace braid {
namespace {

std::int64_t rank_of(const Case& c) { return std::ssize(c.inputs[0].dims()); }

Case transpose(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 0, 5);
  std::vector<std::int64_t> perm(static_cast<std::size_t>(rank_of(c)));
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size(); i-- > 1;)
    std::swap(perm[i],
              perm[static_cast<std::size_t>(draw.integer(0, static_cast<std::int64_t>(i)))]);
  if (draw.chance(0.8)) c.attributes.set("perm", perm);
  return c;
}

Case expand(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const Dims met = draw.dims(0, 4);
  c.inputs = {draw.tensor(draw.element(def.types), draw.broadcasting_to(met)),
              list(draw.broadcasting_to(met))};
  return c;
}

Case tile(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 0, 4);
  c.inputs.push_back(list(draw.integers(rank_of(c), draw.chance(0.2) ? 0 : 1, 3)));
  return c;
}

Case concat(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 1, 4);
  const std::int64_t axis = draw.axis(rank_of(c));
  c.attributes.set("axis", axis);
  Dims dims = c.inputs[0].dims();
  for (std::int64_t i = draw.integer(0, 3); i > 0; --i) {
    dims[from_front(axis, dims)] = draw.extent();
    c.inputs.push_back(draw.tensor(c.inputs[0].element(), dims));
  }
  return c;
}

Case split(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 1, 4);
  c.attributes = {};
  const std::int64_t axis = draw.chance() ? draw.axis(rank_of(c)) : 0;
  if (axis != 0) c.attributes.set("axis", axis);
  const std::int64_t parts = draw.integer(1, 4);
  c.outputs = static_cast<std::size_t>(parts);
  if (draw.chance(0.3)) return c;
  if (draw.chance()) {
    c.attributes.set("num_outputs", parts);
    return c;
  }
  const Dims& dims = c.inputs[0].dims();
  std::int64_t rest = dims[from_front(axis, dims)];
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 1; i < parts; ++i) rest -= lengths.emplace_back(draw.integer(0, rest));
  lengths.push_back(rest);
  c.inputs.push_back(list(lengths));
  return c;
}

/// Bounds that leave something of an axis, mostly; counted from the front or from the back.
std::pair<std::int64_t, std::int64_t> draw_bounds(Draw& draw, std::int64_t length,
                                                  std::int64_t step) {
  if (length == 0 || draw.chance(0.1)) return {draw.integer(-6, 6), draw.integer(-6, 6)};
  const std::int64_t first = draw.integer(0, length - 1);
  const std::int64_t start = draw.chance() ? first : first - length;
  if (step > 0) return {start, draw.chance(0.2) ? INT64_MAX : draw.integer(first + 1, length + 2)};
  return {start, draw.integer(-length - 2, first - length - 1)};
}

Case slice(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 1, 4);
  const bool names_axes = draw.chance();
  const bool names_steps = draw.chance();
  std::vector<std::int64_t> axes = draw.axes(rank_of(c));
  if (!names_axes) std::iota(axes.begin(), axes.end(), 0);
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::vector<std::int64_t> steps;
  for (const std::int64_t axis : axes) {
    const Dims& dims = c.inputs[0].dims();
    steps.push_back(!names_steps ? 1 : draw.integer(1, 3) * (draw.chance() ? 1 : -1));
    const auto [start, end] = draw_bounds(draw, dims[from_front(axis, dims)], steps.back());
    starts.push_back(start);
    ends.push_back(end);
  }
  c.inputs.insert(c.inputs.end(), {list(starts), list(ends)});
  if (names_axes) c.inputs.push_back(list(axes));
  if (names_steps) {
    c.inputs.resize(4);
    c.inputs.push_back(list(steps));
  }
  return c;
}

/// Mostly adds; now and then removes an element, of axes that have one.
Case pad(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 0, 4);
  const std::string mode = draw.text_of({"constant", "constant", "reflect", "edge", "wrap"});
  if (mode != "constant" || draw.chance()) c.attributes.set("mode", mode);
  const std::int64_t rank = rank_of(c);
  std::vector<std::int64_t> axes = draw.axes(rank);
  const bool names_axes = draw.chance();
  if (!names_axes) {
    axes.resize(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::vector<std::int64_t> pads(2 * axes.size());
  for (std::size_t i = 0; i < pads.size(); ++i) {
    const std::int64_t axis = axes[i % axes.size()];
    const std::int64_t length = c.inputs[0].dims()[from_front(axis, c.inputs[0].dims())];
    const bool repeats_nothing = mode != "constant" && length == 0;
    pads[i] = repeats_nothing                                     ? 0
              : i < axes.size() && length > 1 && draw.chance(0.2) ? -1
                                                                  : draw.integer(0, 3);
  }
  c.inputs.push_back(list(pads));
  if (draw.chance())
    c.inputs.push_back(draw.tensor(c.inputs[0].element(), draw.chance() ? Dims{} : Dims{1}));
  if (names_axes) {
    c.inputs.resize(3);
    c.inputs.push_back(list(axes));
  }
  return c;
}

Case center_crop_pad(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 0, 4);
  std::int64_t count = rank_of(c);
  if (draw.chance()) {
    const std::vector<std::int64_t> axes = draw.axes(count);
    c.attributes.set("axes", axes);
    count = std::ssize(axes);
  }
  c.inputs.push_back(list(draw.integers(count, 0, 6)));
  return c;
}

Case depth_to_space(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 4, 4);
  const std::int64_t block = draw.integer(1, 3);
  c.attributes.set("blocksize", block);
  if (draw.chance()) c.attributes.set("mode", draw.text_of({"DCR", "CRD"}));
  Dims dims = c.inputs[0].dims();
  if (c.op == "DepthToSpace") {
    dims[1] *= block * block;
  } else {
    dims[2] *= block;
    dims[3] *= block;
  }
  c.inputs = {draw.tensor(c.inputs[0].element(), dims)};
  return c;
}

Case reverse_sequence(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 2, 4);
  const std::int64_t time = draw.integer(0, 1);
  c.attributes = {};
  if (time == 1 || draw.chance()) c.attributes = {{"time_axis", time}, {"batch_axis", 1 - time}};
  const Dims& dims = c.inputs[0].dims();
  c.inputs.push_back(draw.tensor_between(draw.index_type(), {dims[time == 0 ? 1 : 0]}, 0,
                                         dims[static_cast<std::size_t>(time)]));
  return c;
}

Case trilu(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 2, 4);
  if (draw.chance())
    c.inputs.push_back(
        draw.tensor_between(ElementType::I64, draw.chance() ? Dims{} : Dims{1}, -5, 5));
  return c;
}

}  // namespace

std::vector<Generator> movement_generators() {
  using enum Exactness;
  return {
      {"CenterCropPad", center_crop_pad, Always, true},
      {"Concat", concat, Always},
      {"DepthToSpace", depth_to_space, Always},
      {"Expand", expand, Always, true},
      {"Pad", pad, Always, true},
      {"ReverseSequence", reverse_sequence, Always},
      {"Slice", slice, Always},
      {"SpaceToDepth", depth_to_space, Always},
      {"Split", split, Always},
      {"Tile", tile, Always, true},
      {"Transpose", transpose, Always, true},
      {"Trilu", trilu, Always},
  };
}

}  // namespace braid
