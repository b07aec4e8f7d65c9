#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/definitions.h"
#include "ops/shared/strided.h"

namespace braid {
namespace {

/// Whether the block's axes come before the depth among the channels (DCR), not after it (CRD).
bool depth_last(const OpCall& call) {
  const std::string mode = call.attributes->text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    raise(ErrorKind::Model,
          fmt::format("attribute 'mode' of {} is {}, expected DCR or CRD", call.op, quote(mode)));
  return mode == "DCR";
}

std::int64_t block_of(const OpCall& call) {
  const std::int64_t block = call.attributes->integer("blocksize", 0);
  if (block < 1)
    raise(ErrorKind::Model,
          fmt::format("attribute 'blocksize' of {} is {}, expected at least 1", call.op, block));
  if (call.rank(0) != 4)
    raise(ErrorKind::Model, fmt::format("{} needs an input [N,C,H,W], got shape {}", call.op,
                                        to_string(call.dims(0))));
  depth_last(call);
  return block;
}

std::vector<TensorType> infer_depth_to_space(const OpCall& call) {
  const std::int64_t block = block_of(call);
  TensorType type = call.input(0);
  const std::int64_t area = checked_mul(block, block);
  if (type.dims[1] % area != 0)
    raise(ErrorKind::Model, fmt::format("DepthToSpace cannot split {} channels into blocks of "
                                        "{}x{}",
                                        type.dims[1], block, block));
  type.dims[1] /= area;
  type.dims[2] = checked_mul(type.dims[2], block);
  type.dims[3] = checked_mul(type.dims[3], block);
  return {type};
}

std::vector<TensorType> infer_space_to_depth(const OpCall& call) {
  const std::int64_t block = block_of(call);
  TensorType type = call.input(0);
  if (type.dims[2] % block != 0 || type.dims[3] % block != 0)
    raise(ErrorKind::Model, fmt::format("SpaceToDepth cannot cut {}x{} into blocks of {}x{}",
                                        type.dims[2], type.dims[3], block, block));
  type.dims[1] = checked_mul(type.dims[1], checked_mul(block, block));
  type.dims[2] /= block;
  type.dims[3] /= block;
  return {type};
}

/// Copies the input, seen as six axes, in the order of the output's axes.
std::vector<Tensor> permuted(const OpCall& call, const Tensor& x, const Dims& axes,
                             const std::array<std::size_t, 6>& order) {
  const Dims own = dense_strides(axes);
  Dims dims;
  Dims strides;
  for (const std::size_t axis : order) {
    dims.push_back(axes[axis]);
    strides.push_back(own[axis]);
  }
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  copy_strided(x.bytes(), 0, dims, strides, out.mutable_bytes(), byte_size(x.element()));
  return {out};
}

std::vector<Tensor> evaluate_depth_to_space(const OpCall& call, std::span<const Tensor> inputs) {
  const Dims& x = inputs[0].dims();
  const std::int64_t block = block_of(call);
  const std::int64_t depth = x[1] / block / block;
  if (depth_last(call))
    return permuted(call, inputs[0], {x[0], block, block, depth, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
  return permuted(call, inputs[0], {x[0], depth, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
}

std::vector<Tensor> evaluate_space_to_depth(const OpCall& call, std::span<const Tensor> inputs) {
  const Dims& x = inputs[0].dims();
  const std::int64_t block = block_of(call);
  const Dims axes = {x[0], x[1], x[2] / block, block, x[3] / block, block};
  if (depth_last(call)) return permuted(call, inputs[0], axes, {0, 3, 5, 1, 2, 4});
  return permuted(call, inputs[0], axes, {0, 1, 3, 5, 2, 4});
}

OpDef block_row(std::string_view name, std::vector<int> versions, InferFunction infer,
                EvaluateFunction evaluate) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.attributes = {{"blocksize", AttributeKind::Integer, true}, {"mode", AttributeKind::Text}};
  def.infer = infer;
  def.evaluate = evaluate;
  return def;
}

}  // namespace

std::vector<OpDef> depth_to_space_ops() {
  return {
      block_row("DepthToSpace", {1, 11, 13, 28}, infer_depth_to_space, evaluate_depth_to_space),
      block_row("SpaceToDepth", {1, 13, 28}, infer_space_to_depth, evaluate_space_to_depth),
  };
}

}  // namespace braid
