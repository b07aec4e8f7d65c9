#include <algorithm>

#include "tests/ops/generators.h"

namespace braid {
namespace {

Case any(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  c.inputs = {draw.tensor(draw.element(def.types), draw.dims(0, 4))};
  return c;
}

Case shape(Draw& draw, const OpDef& def) {
  Case c = any(draw, def);
  if (c.attributes.has("start")) c.attributes.set("start", draw.integer(-6, 1));
  if (c.attributes.has("end")) c.attributes.set("end", draw.chance(0.3) ? -1 : draw.integer(1, 6));
  return c;
}

/// The same axes with some of them joined, and one that is to be found out.
Case reshape(Draw& draw, const OpDef& def) {
  Case c = any(draw, def);
  const Dims& dims = c.inputs[0].dims();
  const bool zero_is_zero = c.attributes.integer("allowzero", 0) != 0;
  std::vector<std::int64_t> wish;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0 && draw.chance(0.3))
      wish.back() *= dims[i];
    else
      wish.push_back(dims[i]);
  }
  if (draw.chance(0.3)) wish.insert(wish.begin() + draw.integer(0, std::ssize(wish)), 1);
  const bool empty = std::ranges::count(wish, 0) > 0;
  if (empty && !zero_is_zero) {
    // A zero stands for the input's own length here, so only the same axes will do.
    wish.assign(dims.begin(), dims.end());
  } else if (!wish.empty() && !empty && draw.chance()) {
    wish[static_cast<std::size_t>(draw.integer(0, std::ssize(wish) - 1))] = -1;
  }
  c.inputs.push_back(list(wish));
  return c;
}

Case flatten(Draw& draw, const OpDef& def) {
  Case c = any(draw, def);
  const std::int64_t rank = std::ssize(c.inputs[0].dims());
  c.attributes.erase("axis");
  if (rank == 0 || draw.chance()) c.attributes.set("axis", draw.integer(-rank, rank));
  return c;
}

Case squeeze(Draw& draw, const OpDef& def) {
  Case c = any(draw, def);
  Dims dims = c.inputs[0].dims();
  const std::vector<std::int64_t> axes = draw.axes(std::ssize(dims));
  for (const std::int64_t axis : axes) dims[from_front(axis, dims)] = 1;
  c.inputs = {draw.tensor(c.inputs[0].element(), dims)};
  if (draw.chance()) c.inputs.push_back(list(axes));
  return c;
}

Case unsqueeze(Draw& draw, const OpDef& def) {
  Case c = any(draw, def);
  const std::int64_t added = draw.integer(0, 2);
  const std::int64_t rank = std::ssize(c.inputs[0].dims()) + added;
  std::vector<std::int64_t> axes = draw.axes(rank);
  while (std::ssize(axes) < added) axes = draw.axes(rank);
  axes.resize(static_cast<std::size_t>(added));
  c.inputs.push_back(list(axes));
  return c;
}

}  // namespace

std::vector<Generator> shape_generators() {
  using enum Exactness;
  return {
      {"Flatten", flatten, Always, true}, {"Reshape", reshape, Always, true},
      {"Shape", shape, Always, true},     {"Size", any, Always, true},
      {"Squeeze", squeeze, Always, true}, {"Unsqueeze", unsqueeze, Always, true},
  };
}

}  // namespace braid
