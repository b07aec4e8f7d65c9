#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "ops/shared/broadcast.h"

namespace braid {
namespace {

/// A row that copies its input by strides.
OpDef repeat_row(std::string_view name, std::vector<int> versions, InferFunction infer,
                 EvaluateFunction evaluate) {
  OpDef def;
  def.name = name;
  def.kind = OpKind::Movement;
  def.versions = std::move(versions);
  def.infer = infer;
  def.evaluate = evaluate;
  return def;
}

Tensor strided_copy(const Tensor& in, const TensorType& type, const Dims& dims,
                    const Dims& strides) {
  Tensor out = Tensor::uninitialised(type);
  if (out.elements() > 0)
    copy_strided(in.bytes(), 0, dims, strides, out.mutable_bytes(), byte_size(type.element));
  return out;
}

std::vector<std::int64_t> permutation(const OpCall& call) {
  const std::int64_t rank = call.rank(0);
  std::vector<std::int64_t> reversed(static_cast<std::size_t>(rank));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const auto perm = call.attributes->integers("perm", reversed);
  if (std::ssize(perm) != rank)
    raise(ErrorKind::Model, fmt::format("perm={} of Transpose does not fit a tensor of rank {}",
                                        to_string(perm), rank));
  return normal_axes(call.op, perm, rank);
}

Dims permuted(const Dims& list, const std::vector<std::int64_t>& perm) {
  Dims out;
  for (std::int64_t axis : perm) out.push_back(list[static_cast<std::size_t>(axis)]);
  return out;
}

std::vector<TensorType> infer_transpose(const OpCall& call) {
  return {{call.input(0).element, permuted(call.dims(0), permutation(call))}};
}

std::vector<Tensor> evaluate_transpose(const OpCall& call, std::span<const Tensor> inputs) {
  return {strided_copy(inputs[0], call.outputs[0], call.outputs[0].dims,
                       permuted(dense_strides(inputs[0].dims()), permutation(call)))};
}

std::vector<TensorType> infer_expand(const OpCall& call) {
  const Dims shape = call.known_integers(1, "the shape");
  element_count(shape);
  return {{call.input(0).element, broadcast(call.op, call.dims(0), shape)}};
}

std::vector<Tensor> evaluate_expand(const OpCall& call, std::span<const Tensor> inputs) {
  const Dims& dims = call.outputs[0].dims;
  return {
      strided_copy(inputs[0], call.outputs[0], dims, broadcast_strides(inputs[0].dims(), dims))};
}

std::vector<TensorType> infer_tile(const OpCall& call) {
  const auto repeats = call.known_integers(1, "the repeats");
  TensorType type = call.input(0);
  if (repeats.size() != type.dims.size())
    raise(ErrorKind::Model, fmt::format("Tile repeats a tensor of rank {} by {}", type.dims.size(),
                                        to_string(repeats)));
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0)
      raise(ErrorKind::Model, fmt::format("Tile repeats axis {} {} times", i, repeats[i]));
    type.dims[i] = checked_mul(type.dims[i], repeats[i]);
  }
  return {type};
}

/// Each axis becomes two: the repeats, which do not move in the input, and the axis itself.
std::vector<Tensor> evaluate_tile(const OpCall& call, std::span<const Tensor> inputs) {
  const auto repeats = call.known_integers(1, "the repeats");
  const Dims& in = inputs[0].dims();
  const Dims dense = dense_strides(in);
  Dims dims;
  Dims strides;
  for (std::size_t i = 0; i < in.size(); ++i) {
    dims.insert(dims.end(), {repeats[i], in[i]});
    strides.insert(strides.end(), {0, dense[i]});
  }
  return {strided_copy(inputs[0], call.outputs[0], dims, strides)};
}

}  // namespace

std::vector<OpDef> repeat_ops() {
  OpDef transpose =
      repeat_row("Transpose", {1, 13, 21, 23, 24, 25}, infer_transpose, evaluate_transpose);
  transpose.elements = Elements::Permuted;
  transpose.attributes = {{"perm", AttributeKind::Integers}};
  OpDef expand = repeat_row("Expand", {8, 13}, infer_expand, evaluate_expand);
  expand.min_inputs = expand.max_inputs = 2;
  OpDef tile = repeat_row("Tile", {1, 6, 13}, infer_tile, evaluate_tile);
  tile.min_inputs = tile.max_inputs = 2;
  return {transpose, expand, tile};
}

}  // namespace braid
