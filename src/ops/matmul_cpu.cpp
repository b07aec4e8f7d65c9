#include "device/cpu/onednn.h"
#include "ops/epilogue_cpu.h"
#include "ops/kernels_cpu.h"
#include "ops/matmul.h"
#include "tensor/element.h"

namespace braid::cpu {
namespace {

using MatMulDesc = dnnl::matmul::primitive_desc;

/// dst = activation(a x b + bias + residual) with as many axes in each; the row-major bytes of a
/// value are seen under these shapes.
struct Product {
  dnnl::memory::desc a;
  Dims b;
  dnnl::memory::desc b_given;
  Dims bias;  ///< empty: none
  Dims output;
  Epilogue epilogue;
  std::size_t residual_input = Epilogue::kResidualInput;
  Tensor b_instead = {};
  Tensor bias_instead = {};
};

/// The shape with leading ones, `rank` axes long.
Dims padded(const Dims& dims, std::size_t rank) {
  Dims result(rank - dims.size(), 1);
  result.insert(result.end(), dims.begin(), dims.end());
  return result;
}

Tensor scaled(const Tensor& tensor, float factor) {
  const Tensor from = tensor.aligned();
  Tensor result = Tensor::uninitialised(tensor.type());
  const auto to = result.mutable_data<float>();
  const auto elements = from.data<float>();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = factor * elements[i];
  return result;
}

bool all_f32(const OpCall& call) {
  for (const TensorType* type : call.inputs)
    if (type != nullptr && type->element != ElementType::F32) return false;
  return true;
}

/// A bias as large as the output is a residual if there is no other.
void settle_bias(const OpCall& call, Product& product) {
  Epilogue& epilogue = product.epilogue;
  if (!epilogue.bias) return;
  const bool whole =
      element_count(call.input(Epilogue::kBiasInput)) == element_count(product.output);
  if (whole && !epilogue.residual && !product.bias_instead.defined()) {
    epilogue.residual = true;
    epilogue.bias = false;
    product.residual_input = Epilogue::kBiasInput;
    product.bias.clear();
  }
}

std::optional<Prepared> prepare_product(const OpCall& call, const Product& product) {
  const Epilogue& epilogue = product.epilogue;
  const bool constant = product.b_instead.defined() || call.known[1] != nullptr;
  const dnnl::memory::desc output = row_major(product.output);
  const dnnl::memory::desc bias = epilogue.bias ? row_major(product.bias) : dnnl::memory::desc();
  const auto desc = usable([&] {
    return MatMulDesc(engine(), product.a, constant ? any_layout(product.b) : product.b_given, bias,
                      output, attributes_with(post_ops_of(epilogue)), true);
  });
  if (!desc) return std::nullopt;
  PrimitiveUse use;
  use.desc = *desc;
  use.inputs.push_back({DNNL_ARG_SRC, 0, product.a, desc->src_desc()});
  use.inputs.push_back(
      {DNNL_ARG_WEIGHTS, 1, product.b_given, desc->weights_desc(), product.b_instead});
  if (epilogue.bias)
    use.inputs.push_back(
        {DNNL_ARG_BIAS, Epilogue::kBiasInput, bias, desc->bias_desc(), product.bias_instead});
  use.output = {DNNL_ARG_DST, 0, output, desc->dst_desc()};
  if (epilogue.residual) use.residual = Operand{0, product.residual_input, output, {}};
  return prepare_primitive(call, std::move(use));
}

/// A matrix, or a stack of them whose order in memory swaps the last two axes.
dnnl::memory::desc matrix(const Dims& dims, bool transposed) {
  return transposed ? with_order(dims, {1, 0}) : row_major(dims);
}

/// Whether the scale of an operand can be moved into a constant.
bool scalable(const OpCall& call, std::size_t input, float factor) {
  return factor == 1 || !call.has(input) || call.known[input] != nullptr;
}

}  // namespace

std::optional<Prepared> prepare_gemm(const OpCall& call) {
  if (!all_f32(call)) return std::nullopt;
  const GemmGeometry gemm = gemm_geometry(call);
  if (!scalable(call, 1, gemm.alpha) || !scalable(call, 2, gemm.beta)) return std::nullopt;
  Product product;
  product.epilogue = read_epilogue(call);
  product.output = {gemm.rows, gemm.columns};
  product.a = matrix({gemm.rows, gemm.depth}, gemm.transpose_a);
  product.b = {gemm.depth, gemm.columns};
  product.b_given = matrix(product.b, gemm.transpose_b);
  if (gemm.alpha != 1) product.b_instead = scaled(*call.known[1], gemm.alpha);
  if (call.has(2)) {
    product.bias = padded(call.dims(2), 2);
    if (gemm.beta != 1) product.bias_instead = scaled(*call.known[2], gemm.beta);
  }
  settle_bias(call, product);
  return prepare_product(call, product);
}

std::optional<Prepared> prepare_matmul(const OpCall& call) {
  if (!all_f32(call)) return std::nullopt;
  const MatMulGeometry shapes = matmul_geometry(call);
  Product product;
  product.epilogue = read_epilogue(call);
  const std::int64_t b_matrices = element_count(call.input(1)) / (shapes.depth * shapes.columns);
  const std::int64_t a_matrices = element_count(call.input(0)) / (shapes.rows * shapes.depth);
  const std::int64_t matrices = element_count(shapes.batch);
  Dims batch = shapes.batch;
  std::int64_t rows = shapes.rows;
  if (b_matrices == 1 && a_matrices == matrices) {
    // Every row meets the same matrix.
    rows *= matrices;
    batch.clear();
  } else if (a_matrices == matrices && b_matrices == matrices) {
    batch = {matrices};
  }
  const auto with_batch = [&](Dims own, std::int64_t m, std::int64_t n) {
    own = padded(own, batch.size());
    own.insert(own.end(), {m, n});
    return own;
  };
  const auto own_batch = [&](std::size_t input, std::int64_t count) {
    if (count == matrices) return batch;
    const Dims& dims = call.dims(input);
    return dims.size() <= 2 ? Dims{} : Dims(dims.begin(), dims.end() - 2);
  };
  product.a = row_major(with_batch(own_batch(0, a_matrices), rows, shapes.depth));
  product.b =
      with_batch(batch.empty() ? Dims{} : own_batch(1, b_matrices), shapes.depth, shapes.columns);
  product.b_given = row_major(product.b);
  product.output = with_batch(batch, rows, shapes.columns);
  if (product.epilogue.bias) {
    const Dims& bias = call.dims(Epilogue::kBiasInput);
    const std::int64_t count = element_count(bias);
    const bool per_column = count == 1 || (count == shapes.columns && bias.back() == count);
    if (!per_column && count != element_count(product.output)) return std::nullopt;
    product.bias = padded({count}, product.output.size());
    settle_bias(call, product);
  }
  return prepare_product(call, product);
}

}  // namespace braid::cpu
