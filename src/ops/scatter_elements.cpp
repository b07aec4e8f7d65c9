#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/indices.h"
#include "ops/shared/scatter.h"

namespace braid {
namespace {

std::int64_t scatter_axis(const OpCall& call) {
  return normal_axis(call.op, call.attributes->integer("axis", 0), call.rank(0));
}

/// Throws Model if the indices cover more than the data along another axis; they may cover less.
void check_indices(const OpCall& call) {
  require_indices(call, 1);
  const auto axis = static_cast<std::size_t>(scatter_axis(call));
  const Dims& data = call.dims(0);
  const Dims& indices = call.dims(1);
  bool fits = data.size() == indices.size();
  for (std::size_t i = 0; fits && i < data.size(); ++i) fits = i == axis || indices[i] <= data[i];
  if (!fits)
    raise(ErrorKind::Model,
          fmt::format("indices of shape {} do not fit data of shape {} in {} along axis {}",
                      to_string(indices), to_string(data), call.op, axis));
}

/// Calls `visit(position in the indices, position in the data)` for every index.
template <class Visit>
void each_index(const OpCall& call, const Tensor& indices, const Visit& visit) {
  const auto axis = static_cast<std::size_t>(scatter_axis(call));
  const std::int64_t length = call.dims(0)[axis];
  const std::vector<std::int64_t> list = read_indices(indices);
  Dims strides = dense_strides(call.dims(0));
  const std::int64_t along = strides[axis];
  strides[axis] = 0;
  std::size_t at = 0;
  each_row(indices.dims(), {strides},
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             for (std::int64_t i = 0; i < count; ++i, ++at)
               visit(at, static_cast<std::size_t>(offsets[0] + i * steps[0] +
                                                  normal_index(call.op, list[at], length) * along));
           });
}

std::vector<TensorType> infer_gather_elements(const OpCall& call) {
  check_indices(call);
  return {{call.input(0).element, call.dims(1)}};
}

Work gather_elements_work(const OpCall& call) {
  return {.bytes_read = checked_add(byte_size(call.outputs[0]), byte_size(call.input(1)))};
}

std::vector<Tensor> evaluate_gather_elements(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_size(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = reinterpret_cast<const T*>(inputs[0].bytes().data());
    T* to = reinterpret_cast<T*>(out.mutable_bytes().data());
    each_index(call, inputs[1],
               [&](std::size_t i, std::size_t position) { to[i] = from[position]; });
  });
  return {out};
}

std::vector<TensorType> infer_scatter_elements(const OpCall& call) {
  check_indices(call);
  reduction_of(call);
  if (call.input(2).element != call.input(0).element || call.dims(2) != call.dims(1))
    raise(ErrorKind::Model,
          fmt::format("the updates of {} have type {}, expected {}", call.op,
                      to_string(call.input(2)),
                      to_string(TensorType{call.input(0).element, call.dims(1)})));
  return {call.input(0)};
}

std::vector<Tensor> evaluate_scatter_elements(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::copy_of(call.outputs[0], inputs[0].bytes());
  const Reduction reduction = reduction_of(call);
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto updates = inputs[2].data<T>();
    const auto to = out.mutable_data<T>();
    each_index(call, inputs[1], [&](std::size_t i, std::size_t position) {
      to[position] = store<T>(combine(reduction, load(to[position]), load(updates[i])));
    });
  });
  return {out};
}

}  // namespace

Reduction reduction_of(const OpCall& call) {
  const std::string text = call.attributes->text("reduction", "none");
  if (text == "none") return Reduction::None;
  if (text == "add") return Reduction::Add;
  if (text == "mul") return Reduction::Multiply;
  if (text == "max") return Reduction::Max;
  if (text == "min") return Reduction::Min;
  raise(ErrorKind::Model,
        fmt::format("attribute 'reduction' of {} is {}, expected none, add, mul, max or min",
                    call.op, quote(text)));
}

std::vector<OpDef> scatter_elements_ops() {
  OpDef gather;
  gather.name = "GatherElements";
  gather.kind = OpKind::Movement;
  gather.versions = {11, 13};
  gather.min_inputs = gather.max_inputs = 2;
  gather.attributes = {{"axis", AttributeKind::Integer}};
  gather.infer = infer_gather_elements;
  gather.work = gather_elements_work;
  gather.evaluate = evaluate_gather_elements;

  OpDef scatter;
  scatter.name = "ScatterElements";
  scatter.versions = {11, 13, 16, 18};
  scatter.special_numbers =
      "with the reduction min or max NaN stays NaN; in ONNX Runtime it depends on "
      "which of the two is NaN";
  scatter.min_inputs = scatter.max_inputs = 3;
  scatter.attributes = {{"axis", AttributeKind::Integer}, {"reduction", AttributeKind::Text}};
  scatter.infer = infer_scatter_elements;
  scatter.evaluate = evaluate_scatter_elements;
  return {gather, scatter};
}

}  // namespace braid
