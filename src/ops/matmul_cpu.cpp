#include "device/cpu/kernels/panel_way.h"
#include "device/cpu/kernels/product.h"
#include "device/lowering/permuted_call.h"
#include "ops/call.h"
#include "ops/kernels_cpu.h"
#include "ops/matmul.h"

namespace braid::cpu {
namespace {

/// Gives rows and columns of one element the strides that they would have in a dense matrix:
/// primitives look at them.
Matrix with_usual_strides(Matrix matrix) {
  const std::size_t rows = matrix.dims.size() - 2;
  const std::size_t columns = rows + 1;
  if (matrix.dims[columns] == 1) matrix.strides[columns] = 1;
  if (matrix.dims[rows] == 1)
    matrix.strides[rows] = matrix.strides[columns] == 1 ? matrix.dims[columns] : 1;
  return matrix;
}

/// An operand of a product whose output has `rank` axes.
Matrix stack(const Dims& dims, const AxisOrder& order, std::size_t rank) {
  const Dims strides = strides_in(dims, order);
  Matrix matrix{with_rank(dims, rank), Dims(rank - dims.size(), element_count(dims))};
  matrix.strides.insert(matrix.strides.end(), strides.begin(), strides.end());
  return with_usual_strides(std::move(matrix));
}

/// Joins the axes before `last` into one. False if they do not follow one another in memory.
bool join_leading(Matrix& matrix, std::size_t last) {
  std::int64_t count = 1;
  std::int64_t step = matrix.strides[last - 1];
  for (std::size_t axis = last; axis-- > 0;) {
    if (matrix.dims[axis] == 1) continue;
    if (count == 1)
      step = matrix.strides[axis];
    else if (matrix.strides[axis] != step * count)
      return false;
    count *= matrix.dims[axis];
  }
  const auto behind = static_cast<std::ptrdiff_t>(last);
  matrix.dims.erase(matrix.dims.begin(), matrix.dims.begin() + behind - 1);
  matrix.strides.erase(matrix.strides.begin(), matrix.strides.begin() + behind - 1);
  matrix.dims[0] = count;
  matrix.strides[0] = step;
  return true;
}

/// The product with fewer axes: all rows of `a` meet the same matrix, or the batch is one axis.
/// Returns how many leading axes of the output are one now.
std::size_t join_axes(Product& product) {
  const std::size_t rank = product.output.dims.size();
  const auto batch = [&](const Matrix& m) { return Dims(m.dims.begin(), m.dims.end() - 2); };
  const bool one_b = element_count(batch(product.b)) == 1;
  const std::size_t last = one_b ? rank - 1 : rank - 2;
  if (last < 2 || batch(product.a) != batch(product.output)) return 1;
  if (!one_b && batch(product.b) != batch(product.output)) return 1;
  Matrix a = product.a;
  Matrix b = product.b;
  Matrix output = product.output;
  if (!join_leading(a, last) || !join_leading(b, one_b ? rank - 1 : last) ||
      !join_leading(output, last))
    return 1;
  product.a = std::move(a);
  product.b = std::move(b);
  product.output = std::move(output);
  return last;
}

/// A bias that the product can add: a number for each column, or a whole output.
bool take_bias(const OpCall& call, Product& product) {
  if (!product.epilogue.bias) return true;
  const Dims& bias = call.dims(Epilogue::kBiasInput);
  const std::int64_t count = element_count(bias);
  const bool per_column =
      count == 1 || (count == product.output.dims.back() && bias.back() == count);
  if (!per_column && count != element_count(product.output.dims)) return false;
  product.bias = with_rank({count}, product.output.dims.size());
  settle_bias(call, product);
  return true;
}

std::optional<Way> prepare_matmul_as(const KernelCall& call, const AxisOrder& output,
                                     ProductKernels kernels) {
  const OpCall& op = call.op;
  const MatMulGeometry shapes = matmul_geometry(op);
  Dims dims = shapes.batch;  // with the axes that vectors lack
  dims.insert(dims.end(), {shapes.rows, shapes.columns});
  const bool vectors = dims.size() != op.outputs[0].dims.size();
  if (vectors && !output.empty()) return std::nullopt;
  Product product;
  product.epilogue = read_epilogue(op);
  product.a = op.rank(0) == 1 ? stack({1, shapes.depth}, {}, dims.size())
                              : stack(op.dims(0), call.inputs[0], dims.size());
  product.b = op.rank(1) == 1 ? stack({shapes.depth, 1}, {}, dims.size())
                              : stack(op.dims(1), call.inputs[1], dims.size());
  product.output = stack(dims, output, dims.size());
  std::optional<CutAxis> cut;
  for (std::size_t axis = 0; axis + 1 < dims.size() && !cut && !vectors; ++axis)
    if (dims[axis] > 1) cut = CutAxis{static_cast<int>(axis), axis};
  const std::size_t joined = join_axes(product);
  if (cut) cut->product = cut->product < joined ? 0 : cut->product - joined + 1;
  if (!take_bias(op, product)) return std::nullopt;
  auto way = prepare_product(op, product, cut, kernels);
  if (!way) return std::nullopt;
  way->input_orders = {call.inputs[0], call.inputs[1], {}, output};
  way->output_orders = {output};
  return way;
}

std::optional<Way> prepare_matmul_by(const KernelCall& call, ProductKernels kernels) {
  if (!all_f32(call.op)) return std::nullopt;
  KernelCall plain = call;
  plain.inputs.assign(call.inputs.size(), {});
  // Rows that are not dense are made so for panels: the library has to do that, too.
  if (kernels == ProductKernels::Own)
    for (const KernelCall* in : {&call, static_cast<const KernelCall*>(&plain)})
      if (auto way = prepare_matmul_as(*in, call.output, ProductKernels::Panels)) return way;
  if (auto way = prepare_matmul_as(call, call.output, kernels)) return way;
  if (auto way = prepare_matmul_as(call, {}, kernels)) return way;
  if (auto way = prepare_matmul_as(plain, call.output, kernels)) return way;
  return prepare_matmul_as(plain, {}, kernels);
}

}  // namespace

std::optional<Way> prepare_matmul(const KernelCall& call) {
  return prepare_matmul_by(call, ProductKernels::Own);
}

std::optional<Way> prepare_matmul_strassen(const KernelCall& call) {
  return call.asks_for(kStrassen) ? prepare_matmul_by(call, ProductKernels::Strassen)
                                  : std::nullopt;
}

std::optional<Way> prepare_matmul_of_library(const KernelCall& call) {
  return prepare_matmul_by(call, ProductKernels::Library);
}

}  // namespace braid::cpu
