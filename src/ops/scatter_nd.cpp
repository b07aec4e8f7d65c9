#include <cstring>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/axes.h"
#include "ops/shared/indices.h"
#include "ops/shared/scatter.h"
#include "ops/shared/strided.h"

namespace braid {
namespace {

/// How index tuples pick slices of the data: the data is `batches` blocks, and each tuple fixes the
/// axes `first`, `first` + 1, … of its block.
struct Tuples {
  std::int64_t first = 0;
  std::int64_t length = 0;  ///< of a tuple
  std::int64_t batches = 1;
  std::int64_t per_batch = 1;
  std::int64_t slice = 1;  ///< elements that a tuple picks
};

Tuples tuples_of(const OpCall& call, std::int64_t batch_dims) {
  const Dims& data = call.dims(0);
  const Dims& indices = call.dims(1);
  const std::int64_t rank = call.rank(0);
  const std::int64_t index_rank = call.rank(1);
  if (rank < 1 || index_rank < 1)
    raise(ErrorKind::Model, fmt::format("{} needs data and indices of rank 1 or more", call.op));
  if (batch_dims < 0 || batch_dims >= std::min(rank, index_rank) ||
      !std::equal(data.begin(), data.begin() + batch_dims, indices.begin()))
    raise(ErrorKind::Model,
          fmt::format("data of shape {} and indices of shape {} do not share {} batch axes in {}",
                      to_string(data), to_string(indices), batch_dims, call.op));
  Tuples tuples;
  tuples.first = batch_dims;
  tuples.length = indices.back();
  if (tuples.length > rank - batch_dims)
    raise(ErrorKind::Model,
          fmt::format(
              "index tuples of length {} point into data of shape {} with {} batch axes in {}",
              tuples.length, to_string(data), batch_dims, call.op));
  tuples.batches = span_of(data, 0, batch_dims);
  tuples.per_batch = span_of(indices, batch_dims, index_rank - 1);
  tuples.slice = span_of(data, batch_dims + tuples.length, rank);
  return tuples;
}

/// The indices' shape without the tuples, then the shape of a slice.
Dims picked_dims(const OpCall& call, const Tuples& tuples) {
  Dims dims(call.dims(1).begin(), call.dims(1).end() - 1);
  dims.insert(dims.end(), call.dims(0).begin() + tuples.first + tuples.length, call.dims(0).end());
  return dims;
}

/// Calls `visit(offset of the slice in the data)` for every tuple in order.
template <class Visit>
void each_tuple(const OpCall& call, const Tensor& indices, const Tuples& tuples,
                const Visit& visit) {
  const std::vector<std::int64_t> list = read_indices(indices);
  const Dims strides = dense_strides(call.dims(0));
  const std::int64_t block = span_of(call.dims(0), tuples.first, call.rank(0));
  std::size_t at = 0;
  for (std::int64_t batch = 0; batch < tuples.batches; ++batch)
    for (std::int64_t tuple = 0; tuple < tuples.per_batch; ++tuple) {
      std::int64_t offset = batch * block;
      for (std::int64_t i = 0; i < tuples.length; ++i) {
        const auto axis = static_cast<std::size_t>(tuples.first + i);
        offset += normal_index(call.op, list[at++], call.dims(0)[axis]) * strides[axis];
      }
      visit(offset);
    }
}

std::int64_t batch_dims_of(const OpCall& call) { return call.attributes->integer("batch_dims", 0); }

std::vector<TensorType> infer_gather_nd(const OpCall& call) {
  require_indices(call, 1);
  return {{call.input(0).element, picked_dims(call, tuples_of(call, batch_dims_of(call)))}};
}

Work gather_nd_work(const OpCall& call) {
  return {.bytes_read = checked_add(byte_size(call.outputs[0]), byte_size(call.input(1)))};
}

std::vector<Tensor> evaluate_gather_nd(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const Tuples tuples = tuples_of(call, batch_dims_of(call));
  const std::int64_t bytes = byte_size(out.element());
  const auto size = static_cast<std::size_t>(tuples.slice * bytes);
  std::byte* to = out.mutable_bytes().data();
  each_tuple(call, inputs[1], tuples, [&](std::int64_t offset) {
    if (size > 0) std::memcpy(to, inputs[0].bytes().data() + offset * bytes, size);
    to += size;
  });
  return {out};
}

std::vector<TensorType> infer_scatter_nd(const OpCall& call) {
  require_indices(call, 1);
  reduction_of(call);
  const TensorType expected{call.input(0).element, picked_dims(call, tuples_of(call, 0))};
  if (call.input(2) != expected)
    raise(ErrorKind::Model, fmt::format("the updates of {} have type {}, expected {}", call.op,
                                        to_string(call.input(2)), to_string(expected)));
  return {call.input(0)};
}

std::vector<Tensor> evaluate_scatter_nd(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::copy_of(call.outputs[0], inputs[0].bytes());
  const Tuples tuples = tuples_of(call, 0);
  const Reduction reduction = reduction_of(call);
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* update = inputs[2].data<T>().data();
    T* to = out.mutable_data<T>().data();
    each_tuple(call, inputs[1], tuples, [&](std::int64_t offset) {
      for (std::int64_t i = 0; i < tuples.slice; ++i, ++update)
        to[offset + i] = store<T>(combine(reduction, load(to[offset + i]), load(*update)));
    });
  });
  return {out};
}

}  // namespace

std::vector<OpDef> scatter_nd_ops() {
  OpDef gather;
  gather.name = "GatherND";
  gather.kind = OpKind::Movement;
  gather.versions = {11, 12, 13};
  gather.min_inputs = gather.max_inputs = 2;
  gather.attributes = {{"batch_dims", AttributeKind::Integer}};
  gather.infer = infer_gather_nd;
  gather.work = gather_nd_work;
  gather.evaluate = evaluate_gather_nd;

  OpDef scatter;
  scatter.name = "ScatterND";
  scatter.versions = {11, 13, 16, 18};
  scatter.special_numbers =
      "with the reduction min or max NaN stays NaN; in ONNX Runtime it depends on "
      "which of the two is NaN";
  scatter.min_inputs = scatter.max_inputs = 3;
  scatter.attributes = {{"reduction", AttributeKind::Text}};
  scatter.infer = infer_scatter_nd;
  scatter.evaluate = evaluate_scatter_nd;
  return {gather, scatter};
}

}  // namespace braid
