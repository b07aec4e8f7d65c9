#include "device/cpu/onednn.h"
#include "device/cpu/part.h"
#include "ops/call.h"
#include "ops/epilogue_cpu.h"
#include "ops/kernels_cpu.h"
#include "ops/matmul.h"
#include "ops/panel_product_cpu.h"
#include "tensor/element.h"

namespace braid::cpu {
namespace {

using MatMulDesc = dnnl::matmul::primitive_desc;

/// A matrix, or a batch of them, as it lies in memory.
struct Matrix {
  Dims dims;
  Dims strides;

  dnnl::memory::desc desc() const { return strided(dims, strides); }
};

Matrix row_major_matrix(const Dims& dims) { return {dims, strides_in(dims, {})}; }
Matrix transposed_matrix(const Dims& dims, bool transposed) {
  return {dims, strides_in(dims, transposed ? AxisOrder{1, 0} : AxisOrder{})};
}

/// output = activation(a x b + bias + residual), all with the same number of axes.
struct Product {
  Matrix a;
  Matrix b;
  Dims bias;  ///< empty: none
  Matrix output;
  Epilogue epilogue;
  std::size_t residual_input = Epilogue::kResidualInput;
  bool constant_b = false;
  Tensor b_instead = {};
  Tensor bias_instead = {};
};

/// Where an axis of the node's output is in the product's, which may join several.
struct CutAxis {
  int node = 0;
  std::size_t product = 0;
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

/// A bias as large as the output is a residual if there is no other.
void settle_bias(const OpCall& call, Product& product) {
  Epilogue& epilogue = product.epilogue;
  if (!epilogue.bias) return;
  const bool whole =
      element_count(call.input(Epilogue::kBiasInput)) == element_count(product.output.dims);
  if (whole && !epilogue.residual && !product.bias_instead.defined()) {
    epilogue.residual = true;
    epilogue.bias = false;
    product.residual_input = Epilogue::kBiasInput;
    product.bias.clear();
  }
}

/// Keeps a range of an axis and returns the bytes before it; an axis of one element is repeated and
/// stays.
std::int64_t take_range(Matrix& matrix, std::size_t axis, CutRange range) {
  if (matrix.dims[axis] == 1) return 0;
  matrix.dims[axis] = range.end - range.begin;
  return range.begin * matrix.strides[axis] * std::int64_t{sizeof(float)};
}

class ProductUse {
 public:
  ProductUse(Product product, Residual residual)
      : product_(std::move(product)), residual_(residual) {
    if (!product_.constant_b) return;
    if (const auto desc = describe(product_, any_layout(product_.b.dims)))
      packed_ = desc->weights_desc();
  }

  /// A range of matrices of the batch or of rows, or all.
  std::optional<PrimitiveUse> use(std::size_t axis, std::optional<CutRange> range) const {
    Product part = product_;
    std::int64_t a_offset = 0;
    std::int64_t b_offset = 0;
    std::int64_t output_offset = 0;
    if (range) {
      const std::size_t rows = part.output.dims.size() - 2;
      a_offset = take_range(part.a, axis, *range);
      if (axis < rows) b_offset = take_range(part.b, axis, *range);
      output_offset = take_range(part.output, axis, *range);
    }
    if (part.constant_b && (!packed_ || part.b.dims != product_.b.dims)) return std::nullopt;
    const auto desc = describe(part, packed_ ? *packed_ : part.b.desc());
    if (!desc) return std::nullopt;
    PrimitiveUse result;
    result.desc = *desc;
    result.inputs = {
        {DNNL_ARG_SRC, 0, desc->src_desc(), desc->src_desc(), a_offset},
        {DNNL_ARG_WEIGHTS, 1, part.b.desc(), desc->weights_desc(), b_offset, part.b_instead}};
    if (part.epilogue.bias)
      result.inputs.push_back({DNNL_ARG_BIAS, Epilogue::kBiasInput, row_major(part.bias),
                               desc->bias_desc(), 0, part.bias_instead});
    result.output = {DNNL_ARG_DST, 0, desc->dst_desc(), desc->dst_desc(), output_offset};
    if (part.epilogue.residual) add_residual(result, part.residual_input, residual_);
    return result;
  }

 private:
  std::optional<MatMulDesc> describe(const Product& part, const dnnl::memory::desc& b) const {
    const dnnl::memory::desc bias =
        part.epilogue.bias ? row_major(part.bias) : dnnl::memory::desc();
    const dnnl::memory::desc output = part.output.desc();
    return usable([&] {
      return MatMulDesc(engine(), part.a.desc(), b, bias, output,
                        attributes_with(post_ops_of(part.epilogue, output, residual_)), true);
    });
  }

  Product product_;
  Residual residual_;
  std::optional<dnnl::memory::desc> packed_;
};

std::optional<Prepared> prepare_product_as(const OpCall& call, const Product& product,
                                           std::optional<CutAxis> cut, Residual residual) {
  const TensorType output = call.outputs[0];
  const ProductUse use(product, residual);
  const std::int64_t scale =
      !cut ? 1
           : product.output.dims[cut->product] / output.dims[static_cast<std::size_t>(cut->node)];
  const auto use_part = [=](const Part& part) {
    if (part.count == 1) return use.use(0, std::nullopt);
    const CutRange range = cut_range(output, part.cut, part.index, part.count);
    return use.use(cut->product, CutRange{range.begin * scale, range.end * scale});
  };
  std::vector<CutCandidate> cuts;
  const std::size_t rows = product.output.dims.size() - 2;
  if (cut) cuts = {{{.axis = cut->node}, cut->product < rows ? Fewer::Products : Fewer::Rows}};
  return prepare_primitive(call, use_part, cuts, residual == Residual::Sum ? "sum" : "");
}

/// One matrix, constant, under rows that are dense.
std::optional<Prepared> prepare_panels(const OpCall& call, const Product& product,
                                       std::optional<CutAxis> cut) {
  const std::int64_t columns = product.output.dims.back();
  if (!product.constant_b || product.output.dims.size() != 2 || product.bias_instead.defined() ||
      product.a.strides[1] != 1 || product.output.strides != Dims{columns, 1} || call.rank(1) < 2)
    return std::nullopt;
  if (product.epilogue.bias && product.bias != Dims{1, columns}) return std::nullopt;
  PanelProductCall panels;
  panels.rows = product.output.dims[0];
  panels.channels = product.a.dims[1];
  panels.columns = columns;
  panels.row_stride = product.a.strides[0];
  panels.matrix = product.b_instead.defined() ? product.b_instead : *call.known[1];
  panels.channel_stride = product.b.strides[0];
  panels.column_stride = product.b.strides[1];
  panels.epilogue = product.epilogue;
  panels.residual_input = product.residual_input;
  panels.column_axis = static_cast<int>(call.outputs[0].dims.size()) - 1;
  if (cut)
    panels.row_axis = {cut->node,
                       panels.rows / call.outputs[0].dims[static_cast<std::size_t>(cut->node)]};
  return prepare_panel_product(call, std::move(panels));
}

std::optional<Prepared> prepare_product(const OpCall& call, Product product,
                                        std::optional<CutAxis> cut) {
  product.constant_b = product.b_instead.defined() || call.known[1] != nullptr;
  if (auto way = prepare_panels(call, product, cut)) return way;
  if (auto way = prepare_product_as(call, product, cut, Residual::Operand)) return way;
  if (!product.epilogue.residual) return std::nullopt;
  return prepare_product_as(call, product, cut, Residual::Sum);
}

/// Whether the scale of an operand can be moved into a constant.
bool scalable(const OpCall& call, std::size_t input, float factor) {
  return factor == 1 || !call.has(input) || call.known[input] != nullptr;
}

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
  Matrix matrix{padded(dims, rank), Dims(rank - dims.size(), element_count(dims))};
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
  product.bias = padded({count}, product.output.dims.size());
  settle_bias(call, product);
  return true;
}

std::optional<Prepared> prepare_matmul_as(const KernelCall& call, const AxisOrder& output) {
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
  auto prepared = prepare_product(op, product, cut);
  if (!prepared) return std::nullopt;
  prepared->input_orders = {call.inputs[0], call.inputs[1], {}, output};
  prepared->output_orders = {output};
  return prepared;
}

}  // namespace

std::optional<Prepared> prepare_gemm(const OpCall& call) {
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
    product.bias = padded(call.dims(2), 2);
    if (gemm.beta != 1) product.bias_instead = scaled(*call.known[2], gemm.beta);
  }
  settle_bias(call, product);
  std::optional<CutAxis> cut;
  if (gemm.rows > 1) cut = CutAxis{0, 0};
  return prepare_product(call, product, cut);
}

std::optional<Prepared> prepare_matmul(const KernelCall& call) {
  if (!all_f32(call.op)) return std::nullopt;
  KernelCall plain = call;
  plain.inputs.assign(call.inputs.size(), {});
  if (auto way = prepare_matmul_as(call, call.output)) return way;
  if (auto way = prepare_matmul_as(call, {})) return way;
  if (auto way = prepare_matmul_as(plain, call.output)) return way;
  return prepare_matmul_as(plain, {});
}

}  // namespace braid::cpu
