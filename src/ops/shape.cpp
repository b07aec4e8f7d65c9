#include <algorithm>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"

namespace braid {
namespace {

/// A row that only gives its first input another shape.
OpDef shape_row(std::string_view name, std::vector<int> versions, InferFunction infer) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.infer = infer;
  def.evaluate = [](const OpCall& call, std::span<const Tensor> inputs) {
    return std::vector{inputs[0].reshaped(call.outputs[0].dims)};
  };
  return def;
}

/// The part of the shape that Shape's attributes ask for.
Dims shape_slice(const OpCall& call) {
  const Dims& dims = call.dims(0);
  const std::int64_t rank = call.rank(0);
  const auto bound = [&](std::string_view name, std::int64_t otherwise) {
    const std::int64_t at = call.attributes->integer(name, otherwise);
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = bound("start", 0);
  const std::int64_t end = std::max(start, bound("end", rank));
  return {dims.begin() + start, dims.begin() + end};
}

std::vector<TensorType> infer_shape(const OpCall& call) {
  return {{ElementType::I64, {static_cast<std::int64_t>(shape_slice(call).size())}}};
}

std::vector<Tensor> evaluate_shape(const OpCall& call, std::span<const Tensor>) {
  const Dims dims = shape_slice(call);
  return {Tensor::of<std::int64_t>(call.outputs[0].dims, std::span(dims))};
}

[[noreturn]] void raise_reshape(const OpCall& call, const Dims& wish) {
  raise(ErrorKind::Model, fmt::format("a tensor of shape {} cannot be reshaped to {}",
                                      to_string(call.dims(0)), to_string(wish)));
}

std::vector<TensorType> infer_reshape(const OpCall& call) {
  const Dims wish = call.known_integers(1, "the shape");
  const bool allow_zero = call.attributes->integer("allowzero", 0) != 0;
  Dims dims = wish;
  std::size_t free = wish.size();
  for (std::size_t i = 0; i < wish.size(); ++i) {
    if (wish[i] == 0 && !allow_zero) {
      if (i >= call.dims(0).size()) raise_reshape(call, wish);
      dims[i] = call.dims(0)[i];
    } else if (wish[i] == -1 && free == wish.size()) {
      free = i;
      dims[i] = 1;
    } else if (wish[i] < 0) {
      raise_reshape(call, wish);
    }
  }
  const std::int64_t have = element_count(call.input(0));
  if (free < wish.size()) {
    const std::int64_t rest = element_count(dims);
    if (rest == 0 || have % rest != 0) raise_reshape(call, wish);
    dims[free] = have / rest;
  }
  if (element_count(dims) != have) raise_reshape(call, wish);
  return {{call.input(0).element, dims}};
}

std::vector<TensorType> infer_flatten(const OpCall& call) {
  const std::int64_t rank = call.rank(0);
  const std::int64_t axis = call.attributes->integer("axis", 1);
  // One more axis than elsewhere: behind the last.
  const std::int64_t at = axis == rank ? rank : normal_axis(call.op, axis, rank);
  return {{call.input(0).element, {span_of(call.dims(0), 0, at), span_of(call.dims(0), at, rank)}}};
}

std::vector<TensorType> infer_squeeze(const OpCall& call) {
  const Dims& dims = call.dims(0);
  std::vector<bool> dropped(dims.size());
  if (call.has(1)) {
    for (std::int64_t axis :
         normal_axes(call.op, call.known_integers(1, "the axes"), call.rank(0))) {
      const auto i = static_cast<std::size_t>(axis);
      if (dims[i] != 1)
        raise(ErrorKind::Model,
              fmt::format("Squeeze drops axis {} of shape {}, which is not of length 1", axis,
                          to_string(dims)));
      dropped[i] = true;
    }
  } else {
    for (std::size_t i = 0; i < dims.size(); ++i) dropped[i] = dims[i] == 1;
  }
  Dims left;
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (!dropped[i]) left.push_back(dims[i]);
  return {{call.input(0).element, left}};
}

std::vector<TensorType> infer_unsqueeze(const OpCall& call) {
  const auto axes = call.known_integers(1, "the axes");
  const auto rank = call.rank(0) + static_cast<std::int64_t>(axes.size());
  Dims dims(static_cast<std::size_t>(rank), 0);
  std::vector<bool> added(dims.size());
  for (std::int64_t axis : normal_axes(call.op, axes, rank))
    added[static_cast<std::size_t>(axis)] = true;
  auto next = call.dims(0).begin();
  for (std::size_t i = 0; i < dims.size(); ++i) dims[i] = added[i] ? 1 : *next++;
  return {{call.input(0).element, dims}};
}

}  // namespace

std::vector<OpDef> shape_ops() {
  OpDef shape = shape_row("Shape", {1, 13, 15, 19, 21, 23, 24, 25}, infer_shape);
  shape.reads_types = true;
  shape.attributes = {{"start", AttributeKind::Integer}, {"end", AttributeKind::Integer}};
  shape.evaluate = evaluate_shape;

  OpDef size = shape_row("Size", {1, 13, 19, 21, 23, 24, 25}, [](const OpCall&) {
    return std::vector<TensorType>{{ElementType::I64, {}}};
  });
  size.reads_types = true;
  size.evaluate = [](const OpCall& call, std::span<const Tensor>) {
    return std::vector{Tensor::scalar(element_count(call.input(0)))};
  };

  OpDef reshape = shape_row("Reshape", {1, 5, 13, 14, 19, 21, 23, 24, 25}, infer_reshape);
  reshape.elements = Elements::Renamed;
  reshape.min_inputs = reshape.max_inputs = 2;
  reshape.attributes = {{"allowzero", AttributeKind::Integer}};

  OpDef flatten = shape_row("Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, infer_flatten);
  flatten.elements = Elements::Renamed;
  flatten.attributes = {{"axis", AttributeKind::Integer}};

  OpDef squeeze = shape_row("Squeeze", {1, 11, 13, 21, 23, 24, 25}, infer_squeeze);
  squeeze.elements = Elements::Renamed;
  squeeze.max_inputs = 2;

  OpDef unsqueeze = shape_row("Unsqueeze", {1, 11, 13, 21, 23, 24, 25}, infer_unsqueeze);
  unsqueeze.elements = Elements::Renamed;
  unsqueeze.min_inputs = unsqueeze.max_inputs = 2;
  return {shape, size, reshape, flatten, squeeze, unsqueeze};
}

}  // namespace braid
