#include "device/cpu/kernels/product.h"

#include <algorithm>

#include "device/cpu/kernels/panel_way.h"
#include "device/cpu/kernels/part.h"
#include "device/cpu/onednn/onednn.h"
#include "device/cpu/onednn/post_ops.h"

namespace braid::cpu {
namespace {

using MatMulDesc = dnnl::matmul::primitive_desc;

dnnl::memory::desc desc_of(const Matrix& matrix) { return strided(matrix.dims, matrix.strides); }

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
    if (const auto desc = describe(product_, any_layout(product_.b.dims), product_.epilogue))
      packed_ = desc->weights_desc();
  }

  /// The primitive for a range of matrices of the batch or of rows, or for all.
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
    const dnnl::memory::desc b = packed_ ? *packed_ : desc_of(part.b);
    const auto desc = describe(part, b, part.epilogue);
    if (!desc) return std::nullopt;
    PrimitiveUse result;
    result.desc = *desc;
    result.inputs = {
        {DNNL_ARG_SRC, 0, desc->src_desc(), desc->src_desc(), a_offset},
        {DNNL_ARG_WEIGHTS, 1, desc_of(part.b), desc->weights_desc(), b_offset, part.b_instead}};
    if (part.epilogue.bias)
      result.inputs.push_back({DNNL_ARG_BIAS, Epilogue::kBiasInput, row_major(part.bias),
                               desc->bias_desc(), 0, part.bias_instead});
    result.output = {DNNL_ARG_DST, 0, desc->dst_desc(), desc->dst_desc(), output_offset};
    if (part.epilogue.residual) add_residual(result, part.residual_input, residual_);
    if (part.epilogue.activation != nullptr) {
      result.activation.step = activation_step(part.epilogue);
      result.activation.describe_plain = [this_use = *this, part, b] {
        const auto plain = this_use.describe(part, b, part.epilogue.plain());
        require(plain.has_value(), "a product can be run without its activation");
        return *plain;
      };
    }
    return result;
  }

 private:
  std::optional<MatMulDesc> describe(const Product& part, const dnnl::memory::desc& b,
                                     const Epilogue& epilogue) const {
    const dnnl::memory::desc bias =
        part.epilogue.bias ? row_major(part.bias) : dnnl::memory::desc();
    const dnnl::memory::desc output = desc_of(part.output);
    return usable([&] {
      return MatMulDesc(engine(), desc_of(part.a), b, bias, output,
                        attributes_with(post_ops_of(epilogue, output, residual_)), true);
    });
  }

  Product product_;
  Residual residual_;
  std::optional<dnnl::memory::desc> packed_;
};

/// What parts along an axis leave out. Where matrices of the batch are repeated, a part in which
/// all meet the same one is a single product of more rows to the library.
Fewer left_out(const Product& product, std::size_t axis) {
  const std::size_t rows = product.output.dims.size() - 2;
  const auto is_repeated = [&](const Matrix& matrix) {
    return !std::equal(matrix.dims.begin(), matrix.dims.end() - 2, product.output.dims.begin());
  };
  return axis < rows && !is_repeated(product.a) && !is_repeated(product.b) ? Fewer::Products
                                                                           : Fewer::Rows;
}

std::optional<Way> prepare_product_as(const OpCall& call, const Product& product,
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
  if (cut) cuts = {{{.axis = cut->node}, left_out(product, cut->product)}};
  return prepare_primitive(call, use_part, cuts, residual == Residual::Sum ? "sum" : "");
}

/// What our panels run: one constant matrix under rows that are dense.
std::optional<PanelProductCall> in_panels(const OpCall& call, const Product& product,
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
  if (const Tensor other = panels.matrix.turned_from(); other.defined()) {
    // The elements of a row were a column there.
    const auto turned = [&](std::int64_t stride) { return stride == 1 ? other.dims()[1] : 1; };
    panels.matrix = other;
    panels.channel_stride = turned(panels.channel_stride);
    panels.column_stride = turned(panels.column_stride);
  }
  panels.epilogue = product.epilogue;
  panels.residual_input = product.residual_input;
  panels.column_axis = static_cast<int>(call.outputs[0].dims.size()) - 1;
  if (cut)
    panels.row_axis = {cut->node,
                       panels.rows / call.outputs[0].dims[static_cast<std::size_t>(cut->node)]};
  return panels;
}

}  // namespace

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

std::optional<Way> prepare_product(const OpCall& call, Product product, std::optional<CutAxis> cut,
                                   ProductKernels kernels) {
  product.constant_b = product.b_instead.defined() || call.known[1] != nullptr;
  if (kernels != ProductKernels::Library) {
    const auto panels = in_panels(call, product, cut);
    if (kernels == ProductKernels::Strassen)
      return panels ? prepare_strassen_product(call, *panels) : std::nullopt;
    if (panels) return prepare_panel_product(call, *panels);
    if (kernels == ProductKernels::Panels) return std::nullopt;
  }
  if (auto way = prepare_product_as(call, product, cut, Residual::Operand)) return way;
  if (!product.epilogue.residual) return std::nullopt;
  return prepare_product_as(call, product, cut, Residual::Sum);
}

}  // namespace braid::cpu
