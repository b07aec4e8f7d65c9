#include <algorithm>

#include "tests/ops/generators.h"

namespace braid {
namespace {

/// Sets the attribute unless it is the default already and the draw leaves it out.
std::int64_t draw_axis(Draw& draw, Case& c, std::int64_t rank) {
  const std::int64_t axis = draw.axis(rank);
  c.attributes.erase("axis");
  if (axis != 0 || draw.chance()) c.attributes.set("axis", axis);
  return axis;
}

Case gather(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const Dims dims = draw.dims(1, 4);
  const std::int64_t length = dims[from_front(draw_axis(draw, c, std::ssize(dims)), dims)];
  // Nothing can be taken from an empty axis.
  Dims picked = draw.dims(0, 2);
  if (length == 0) picked = {0};
  c.inputs = {draw.tensor(draw.element(def.types), dims), draw.indices(picked, length)};
  return c;
}

/// Data and indices of one rank; the indices cover no more than the data away from the axis.
Case elements(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const Dims dims = draw.dims(1, 4);
  const std::int64_t axis = draw_axis(draw, c, std::ssize(dims));
  const std::int64_t length = dims[from_front(axis, dims)];
  Dims picked = dims;
  for (std::int64_t& d : picked) d = draw.integer(std::min<std::int64_t>(d, 1), d);
  picked[from_front(axis, dims)] = length == 0 ? 0 : draw.extent();
  c.inputs = {draw.tensor(draw.element(def.types), dims), draw.indices(picked, length)};
  return c;
}

void draw_reduction(Draw& draw, Case& c) {
  if (draw.chance(0.7))
    c.attributes.set("reduction", draw.text_of({"none", "add", "mul", "max", "min"}));
}

Case scatter_elements(Draw& draw, const OpDef& def) {
  Case c = elements(draw, def);
  draw_reduction(draw, c);
  c.inputs.push_back(draw.tensor(c.inputs[0].element(), c.inputs[1].dims()));
  return c;
}

/// [batch..., tuples..., length of a tuple], each entry within its axis of the data.
Tensor tuples(Draw& draw, const Dims& data, std::int64_t batch_dims) {
  const std::int64_t length = draw.integer(0, std::ssize(data) - batch_dims);
  Dims dims(data.begin(), data.begin() + batch_dims);
  for (const std::int64_t d : draw.dims(0, 2)) dims.push_back(d);
  bool empty_axis = false;
  for (std::int64_t i = 0; i < length; ++i)
    empty_axis = empty_axis || data[static_cast<std::size_t>(batch_dims + i)] == 0;
  if (empty_axis) dims.push_back(0);
  dims.push_back(length);
  Tensor tensor = Tensor::uninitialised({ElementType::I64, dims});
  std::int64_t i = 0;
  for (std::int64_t& x : tensor.mutable_data<std::int64_t>())
    x = draw.axis(data[static_cast<std::size_t>(batch_dims + i++ % length)]);
  return tensor;
}

Case gather_nd(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const Dims dims = draw.dims(1, 4);
  const std::int64_t batch_dims = draw.chance() ? 0 : draw.integer(0, std::ssize(dims) - 1);
  c.attributes = {{"batch_dims", batch_dims}};
  c.inputs = {draw.tensor(draw.element(def.types), dims), tuples(draw, dims, batch_dims)};
  return c;
}

Case scatter_nd(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const Dims dims = draw.dims(1, 4);
  draw_reduction(draw, c);
  const Tensor picked = tuples(draw, dims, 0);
  Dims updates(picked.dims().begin(), picked.dims().end() - 1);
  updates.insert(updates.end(), dims.begin() + picked.dims().back(), dims.end());
  const ElementType element = draw.element(def.types);
  c.inputs = {draw.tensor(element, dims), picked, draw.tensor(element, updates)};
  return c;
}

Case tensor_scatter(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  Dims dims = draw.dims(3, 4);
  const std::int64_t axis = draw.integer(1, std::ssize(dims) - 1);
  c.attributes = {};
  if (axis != std::ssize(dims) - 2 || draw.chance()) c.attributes.set("axis", axis);
  const bool circular = draw.chance();
  if (circular || draw.chance())
    c.attributes.set("mode", std::string(circular ? "circular" : "linear"));
  const ElementType element = draw.element(def.types);
  c.inputs = {draw.tensor(element, dims)};
  const std::int64_t length = dims[from_front(axis, dims)];
  const std::int64_t steps = draw.integer(0, length);
  dims[from_front(axis, dims)] = steps;
  c.inputs.push_back(draw.tensor(element, dims));
  if (draw.chance())
    c.inputs.push_back(
        draw.tensor_between(draw.index_type(), {dims[0]}, 0, circular ? 9 : length - steps));
  return c;
}

Case one_hot(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const Dims dims = draw.dims(0, 3);
  c.attributes = {};
  if (draw.chance()) c.attributes.set("axis", draw.axis(std::ssize(dims) + 1));
  const std::int64_t depth = draw.extent();
  c.inputs = {
      draw.tensor_between(draw.element(def.types), dims, -5, 5),
      draw.tensor_between(draw.element(kNumbers), draw.chance() ? Dims{} : Dims{1}, depth, depth),
      draw.tensor(draw.element(kAnyElement), {2})};
  return c;
}

}  // namespace

std::vector<Generator> index_generators() {
  using enum Exactness;
  return {
      {"Gather", gather, Always},
      {"GatherElements", elements, Always},
      {"GatherND", gather_nd, Always},
      {"OneHot", one_hot, Always, true},
      {"ScatterElements", scatter_elements, OnWhole},
      {"ScatterND", scatter_nd, OnWhole},
      {"TensorScatter", tensor_scatter, Always},
  };
}

}  // namespace braid
