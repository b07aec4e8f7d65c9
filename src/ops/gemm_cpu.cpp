#include "device/cpu/kernels/product.h"
#include "device/lowering/permuted_call.h"
#include "ops/call.h"
#include "ops/kernels_cpu.h"
#include "ops/matmul.h"

namespace braid::cpu {
namespace {

Matrix row_major_matrix(const Dims& dims) { return {dims, strides_in(dims, {})}; }
Matrix transposed_matrix(const Dims& dims, bool transposed) {
  return {dims, strides_in(dims, transposed ? AxisOrder{1, 0} : AxisOrder{})};
}

Tensor scaled(const Tensor& tensor, float factor) {
  const Tensor from = tensor.aligned();
  Tensor result = Tensor::uninitialised(tensor.type());
  const auto to = result.mutable_data<float>();
  const auto elements = from.data<float>();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = factor * elements[i];
  return result;
}

/// Whether the scale of an operand can be moved into a constant.
bool scalable(const OpCall& call, std::size_t input, float factor) {
  return factor == 1 || !call.has(input) || call.known[input] != nullptr;
}

std::optional<Way> prepare_gemm_by(const OpCall& call, ProductKernels kernels) {
  if (!all_f32(call)) return std::nullopt;
  const GemmGeometry gemm = gemm_geometry(call);
  if (!scalable(call, 1, gemm.alpha) || !scalable(call, 2, gemm.beta)) return std::nullopt;
  Product product;
  product.epilogue = read_epilogue(call);
  product.output = row_major_matrix({gemm.rows, gemm.columns});
  product.a = transposed_matrix({gemm.rows, gemm.depth}, gemm.transpose_a);
  product.b = transposed_matrix({gemm.depth, gemm.columns}, gemm.transpose_b);
  if (gemm.alpha != 1) product.b_instead = scaled(*call.known[1], gemm.alpha);
  if (call.has(2)) {
    product.bias = with_rank(call.dims(2), 2);
    if (gemm.beta != 1) product.bias_instead = scaled(*call.known[2], gemm.beta);
  }
  settle_bias(call, product);
  std::optional<CutAxis> cut;
  if (gemm.rows > 1) cut = CutAxis{0, 0};
  return prepare_product(call, product, cut, kernels);
}

}  // namespace

std::optional<Way> prepare_gemm(const OpCall& call) {
  return prepare_gemm_by(call, ProductKernels::Own);
}

std::optional<Way> prepare_gemm_strassen(const OpCall& call) {
  return prepare_gemm_by(call, ProductKernels::Strassen);
}

std::optional<Way> prepare_gemm_of_library(const OpCall& call) {
  return prepare_gemm_by(call, ProductKernels::Library);
}

}  // namespace braid::cpu
