#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "ops/shared/arithmetic.h"
#include "ops/shared/onnx_type.h"

namespace braid {
namespace {

std::vector<TensorType> infer_trilu(const OpCall& call) {
  if (call.rank(0) < 2)
    raise(ErrorKind::Model,
          fmt::format("Trilu needs matrices, got shape {}", to_string(call.dims(0))));
  if (call.has(1) &&
      (call.input(1).element != ElementType::I64 || element_count(call.input(1)) != 1))
    raise(ErrorKind::Model, fmt::format("the diagonal of Trilu has type {}, expected i64[]",
                                        to_string(call.input(1))));
  return {call.input(0)};
}

std::vector<Tensor> evaluate_trilu(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const std::int64_t k = call.has(1) ? inputs[1].data<std::int64_t>()[0] : 0;
  const bool upper = call.attributes->integer("upper", 1) != 0;
  const std::int64_t columns = out.dims().back();
  const std::int64_t rows = out.dims()[out.dims().size() - 2];
  dispatch_size(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = reinterpret_cast<const T*>(inputs[0].bytes().data());
    T* to = reinterpret_cast<T*>(out.mutable_bytes().data());
    const std::int64_t count = out.elements();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t diagonal = i % columns - i / columns % rows;
      to[i] = (upper ? diagonal >= k : diagonal <= k) ? from[i] : T{0};
    }
  });
  return {out};
}

std::vector<TensorType> infer_eye(const OpCall& call) {
  if (call.rank(0) != 2)
    raise(ErrorKind::Model,
          fmt::format("EyeLike needs a matrix, got shape {}", to_string(call.dims(0))));
  ElementType element = call.input(0).element;
  if (call.attributes->has("dtype"))
    element = element_of_onnx(call.op, call.attributes->integer("dtype", 1));
  return {{element, call.dims(0)}};
}

std::vector<Tensor> evaluate_eye(const OpCall& call, std::span<const Tensor>) {
  Tensor out = Tensor::zeros(call.outputs[0]);
  const std::int64_t k = call.attributes->integer("k", 0);
  const std::int64_t rows = out.dims()[0];
  const std::int64_t columns = out.dims()[1];
  if (k <= -rows || k >= columns) return {out};
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto to = out.mutable_data<T>();
    for (std::int64_t i = std::max<std::int64_t>(0, -k); i < rows && i + k < columns; ++i)
      to[static_cast<std::size_t>(i * columns + i + k)] = element_from<T>(1);
  });
  return {out};
}

}  // namespace

std::vector<OpDef> diagonal_ops() {
  OpDef trilu;
  trilu.name = "Trilu";
  trilu.versions = {14};
  trilu.max_inputs = 2;
  trilu.attributes = {{"upper", AttributeKind::Integer}};
  trilu.infer = infer_trilu;
  trilu.evaluate = evaluate_trilu;

  OpDef eye;
  eye.name = "EyeLike";
  eye.versions = {9, 22};
  eye.attributes = {{"dtype", AttributeKind::Integer}, {"k", AttributeKind::Integer}};
  eye.infer = infer_eye;
  eye.evaluate = evaluate_eye;
  return {trilu, eye};
}

}  // namespace braid
