#include <cstring>

#include "base/checked.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "ops/shared/indices.h"

namespace braid {
namespace {

std::int64_t gather_axis(const OpCall& call) {
  return normal_axis(call.op, call.attributes->integer("axis", 0), call.rank(0));
}

/// The work of a Gather: only the elements taken are read.
Work gather_work(const OpCall& call) {
  return {.bytes_read = checked_add(byte_size(call.outputs[0]), byte_size(call.input(1)))};
}

std::vector<TensorType> infer_gather(const OpCall& call) {
  require_indices(call, 1);
  const auto axis = gather_axis(call);
  const Dims& data = call.dims(0);
  Dims dims(data.begin(), data.begin() + axis);
  dims.insert(dims.end(), call.dims(1).begin(), call.dims(1).end());
  dims.insert(dims.end(), data.begin() + axis + 1, data.end());
  return {{call.input(0).element, dims}};
}

std::vector<Tensor> evaluate_gather(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const AxisView view = view_along(inputs[0].dims(), gather_axis(call));
  std::vector<std::int64_t> indices = read_indices(inputs[1]);
  for (std::int64_t& index : indices) index = normal_index(call.op, index, view.length);
  const std::int64_t slice = view.inner * byte_size(out.element());
  if (out.elements() == 0) return {out};
  const std::byte* from = inputs[0].bytes().data();
  std::byte* to = out.mutable_bytes().data();
  for (std::int64_t block = 0; block < view.outer; ++block)
    for (std::int64_t index : indices) {
      std::memcpy(to, from + (block * view.length + index) * slice,
                  static_cast<std::size_t>(slice));
      to += slice;
    }
  return {out};
}

}  // namespace

std::vector<OpDef> gather_ops() {
  OpDef gather;
  gather.name = "Gather";
  gather.kind = OpKind::Movement;
  gather.versions = {1, 11, 13};
  gather.min_inputs = gather.max_inputs = 2;
  gather.attributes = {{"axis", AttributeKind::Integer}};
  gather.infer = infer_gather;
  gather.work = gather_work;
  gather.evaluate = evaluate_gather;
  return {gather};
}

}  // namespace braid
