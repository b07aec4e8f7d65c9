#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/indices.h"

namespace braid {
namespace {

std::int64_t tensor_scatter_axis(const OpCall& call) {
  const std::int64_t axis =
      normal_axis(call.op, call.attributes->integer("axis", -2), call.rank(0));
  if (axis == 0) raise(ErrorKind::Model, "axis 0 of TensorScatter is the batch, expected another");
  return axis;
}

bool is_circular(const OpCall& call) {
  const std::string mode = call.attributes->text("mode", "linear");
  if (mode != "linear" && mode != "circular")
    raise(ErrorKind::Model,
          fmt::format("attribute 'mode' of TensorScatter is {}, expected linear or circular",
                      quote(mode)));
  return mode == "circular";
}

std::vector<TensorType> infer_tensor_scatter(const OpCall& call) {
  is_circular(call);
  const auto axis = static_cast<std::size_t>(tensor_scatter_axis(call));
  TensorType update = call.input(1);
  const bool fits =
      update.dims.size() == call.dims(0).size() && update.dims[axis] <= call.dims(0)[axis];
  if (fits) update.dims[axis] = call.dims(0)[axis];
  if (!fits || update != call.input(0))
    raise(ErrorKind::Model,
          fmt::format(
              "an update of type {} does not fit a cache of type {} along axis {} of TensorScatter",
              to_string(call.input(1)), to_string(call.input(0)), axis));
  if (call.has(2)) {
    require_indices(call, 2);
    if (call.dims(2) != Dims{call.dims(0)[0]})
      raise(ErrorKind::Model,
            fmt::format("the write indices of TensorScatter have shape {}, expected [{}]",
                        to_string(call.dims(2)), call.dims(0)[0]));
  }
  return {call.input(0)};
}

std::vector<Tensor> evaluate_tensor_scatter(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::copy_of(call.outputs[0], inputs[0].bytes());
  const AxisView cache = view_along(out.dims(), tensor_scatter_axis(call));
  const std::int64_t steps = view_along(inputs[1].dims(), tensor_scatter_axis(call)).length;
  std::vector<std::int64_t> starts(static_cast<std::size_t>(out.dims()[0]), 0);
  if (call.has(2)) starts = read_indices(inputs[2]);
  const bool circular = is_circular(call);
  for (std::int64_t start : starts)
    if (start < 0 || (!circular && start > cache.length - steps))
      raise(ErrorKind::Model,
            fmt::format("TensorScatter writes {} entries at {} of a cache of length {}", steps,
                        start, cache.length));
  if (inputs[1].elements() == 0) return {out};
  const std::int64_t slice = cache.inner * byte_size(out.element());
  const std::int64_t blocks_per_sample = cache.outer / out.dims()[0];
  const std::byte* from = inputs[1].bytes().data();
  for (std::int64_t block = 0; block < cache.outer; ++block) {
    const std::int64_t start =
        starts[static_cast<std::size_t>(block / blocks_per_sample)] % cache.length;
    for (std::int64_t i = 0; i < steps; ++i, from += slice) {
      const std::int64_t at = block * cache.length + (start + i) % cache.length;
      std::memcpy(out.mutable_bytes().data() + at * slice, from, static_cast<std::size_t>(slice));
    }
  }
  return {out};
}

}  // namespace

std::vector<OpDef> tensor_scatter_ops() {
  OpDef def;
  def.name = "TensorScatter";
  def.versions = {24};
  def.min_inputs = 2;
  def.max_inputs = 3;
  def.attributes = {{"axis", AttributeKind::Integer}, {"mode", AttributeKind::Text}};
  def.infer = infer_tensor_scatter;
  def.evaluate = evaluate_tensor_scatter;
  return {def};
}

}  // namespace braid
