#include "ops/matmul.h"

#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/gemm_like.h"
#include "ops/shared/matrix_product.h"

namespace braid {

MatMulGeometry matmul_geometry(const OpCall& call) {
  Dims a = call.dims(0);
  Dims b = call.dims(1);
  const auto mismatch = [&] {
    raise(ErrorKind::Model, fmt::format("MatMul cannot multiply shapes {} and {}",
                                        to_string(call.dims(0)), to_string(call.dims(1))));
  };
  if (a.empty() || b.empty()) mismatch();
  const bool vector_a = a.size() == 1;
  const bool vector_b = b.size() == 1;
  if (vector_a) a.insert(a.begin(), 1);
  if (vector_b) b.push_back(1);

  MatMulGeometry product;
  product.rows = a[a.size() - 2];
  product.depth = a.back();
  product.columns = b.back();
  if (b[b.size() - 2] != product.depth) mismatch();
  const Dims batch_a(a.begin(), a.end() - 2);
  const Dims batch_b(b.begin(), b.end() - 2);
  product.batch = broadcast(call.op, batch_a, batch_b);
  product.output = product.batch;
  if (!vector_a) product.output.push_back(product.rows);
  if (!vector_b) product.output.push_back(product.columns);

  product.a_strides = broadcast_strides(batch_a, product.batch);
  product.b_strides = broadcast_strides(batch_b, product.batch);
  for (std::int64_t& stride : product.a_strides) stride *= product.rows * product.depth;
  for (std::int64_t& stride : product.b_strides) stride *= product.depth * product.columns;
  return product;
}

namespace {

std::vector<TensorType> infer_matmul(const OpCall& call) {
  common_element(call);
  read_epilogue(call);
  const TensorType output = {call.input(0).element, matmul_geometry(call).output};
  if (call.has(Epilogue::kBiasInput))
    check_broadcasts_to(call, Epilogue::kBiasInput, "the bias", output.dims);
  check_residual(call, output);
  return {output};
}

Work matmul_work(const OpCall& call) {
  const MatMulGeometry product = matmul_geometry(call);
  const auto outputs = static_cast<double>(element_count(product.output));
  Work work;
  work.macs = outputs * static_cast<double>(product.depth);
  work.flops = 2 * work.macs + outputs * epilogue_flops(call);
  return work;
}

Footprint matmul_footprint(const OpCall& call) {
  const MatMulGeometry product = matmul_geometry(call);
  return gemm_footprint(product.rows, product.columns, element_count(product.batch));
}

template <class T>
void multiply_batch(const MatMulGeometry& product, const Epilogue& epilogue,
                    std::span<const Tensor> inputs, std::span<T> result) {
  using Sum = Accumulator<T>;
  const Widened<T> a(inputs[0].data<T>());
  const Widened<T> b(inputs[1].data<T>());
  std::size_t at = 0;
  const auto write = [&](Sum sum) {
    if (epilogue.bias) sum += static_cast<Sum>(load(inputs[Epilogue::kBiasInput].data<T>()[at]));
    write_result(epilogue, inputs, sum, at, result);
    ++at;
  };
  each_row(product.batch, {product.a_strides, product.b_strides},
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             for (std::int64_t i = 0; i < count; ++i) {
               const Matrix<Sum> left = {a.data() + offsets[0] + i * steps[0], product.depth, 1};
               const Matrix<Sum> right = {b.data() + offsets[1] + i * steps[1], product.columns, 1};
               multiply(left, right, product.rows, product.depth, product.columns, write);
             }
           });
}

std::vector<Tensor> evaluate_matmul(const OpCall& call, std::span<const Tensor> inputs) {
  const MatMulGeometry product = matmul_geometry(call);
  const Epilogue epilogue = read_epilogue(call);
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  std::vector<Tensor> operands(inputs.begin(), inputs.end());
  if (epilogue.bias) operands[2] = spread(operands[2], out.dims());
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    multiply_batch<T>(product, epilogue, operands, out.mutable_data<T>());
  });
  return {out};
}

}  // namespace

std::vector<OpDef> matmul_ops() {
  OpDef def;
  def.name = "MatMul";
  def.takes_epilogue = true;
  def.weight_axis = -1;
  def.versions = {1, 9, 13};
  def.min_inputs = 2;
  def.max_inputs = 4;
  def.attributes = with_epilogue_attributes({});
  def.types = kNumbers;
  def.infer = infer_matmul;
  def.work = matmul_work;
  def.footprint = matmul_footprint;
  def.evaluate = evaluate_matmul;
  def.expand = expand_epilogue;
  def.needs_expansion = has_epilogue_in;
  return {def};
}

}  // namespace braid
