#include <cmath>

#include <fmt/format.h>

#include "ops/definitions.h"
#include "ops/matmul.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/gemm_like.h"
#include "ops/shared/matrix_product.h"

namespace braid {

GemmGeometry gemm_geometry(const OpCall& call) {
  const Dims& a = call.dims(0);
  const Dims& b = call.dims(1);
  GemmGeometry gemm;
  gemm.transpose_a = call.attributes->integer("transA", 0) != 0;
  gemm.transpose_b = call.attributes->integer("transB", 0) != 0;
  gemm.alpha = call.attributes->real("alpha", 1);
  gemm.beta = call.attributes->real("beta", 1);
  if (a.size() != 2 || b.size() != 2)
    raise(ErrorKind::Model, fmt::format("Gemm multiplies matrices, got shapes {} and {}",
                                        to_string(a), to_string(b)));
  gemm.rows = a[gemm.transpose_a ? 1 : 0];
  gemm.depth = a[gemm.transpose_a ? 0 : 1];
  gemm.columns = b[gemm.transpose_b ? 0 : 1];
  if (b[gemm.transpose_b ? 1 : 0] != gemm.depth)
    raise(
        ErrorKind::Model,
        fmt::format("Gemm cannot multiply shapes {} and {} with transA={} transB={}", to_string(a),
                    to_string(b), gemm.transpose_a ? 1 : 0, gemm.transpose_b ? 1 : 0));
  return gemm;
}

namespace {

void check_factor(const OpCall& call, std::string_view attribute, float factor) {
  const bool whole = std::floor(factor) == factor && std::fabs(factor) < 1e9F;
  if (!whole && !is_float_type(call.input(0).element))
    raise(ErrorKind::Unsupported,
          fmt::format("attribute '{}' of Gemm is {}, which is not a whole number, on elements of "
                      "type {}",
                      attribute, factor, name(call.input(0).element)));
}

std::vector<TensorType> infer_gemm(const OpCall& call) {
  common_element(call);
  const GemmGeometry gemm = gemm_geometry(call);
  check_factor(call, "alpha", gemm.alpha);
  check_factor(call, "beta", gemm.beta);
  read_epilogue(call);
  const TensorType output = {call.input(0).element, {gemm.rows, gemm.columns}};
  if (call.has(2)) check_broadcasts_to(call, 2, "input C", output.dims);
  check_residual(call, output);
  return {output};
}

Work gemm_work(const OpCall& call) {
  const GemmGeometry gemm = gemm_geometry(call);
  const double outputs = static_cast<double>(gemm.rows) * static_cast<double>(gemm.columns);
  Work work;
  work.macs = outputs * static_cast<double>(gemm.depth);
  work.flops = 2 * work.macs + outputs * epilogue_flops(call);
  return work;
}

Footprint gemm_launch(const OpCall& call) {
  const GemmGeometry gemm = gemm_geometry(call);
  return gemm_footprint(gemm.rows, gemm.columns, 1);
}

template <class Sum>
Sum scaled(Sum sum, float factor) {
  if (factor == 1) return sum;
  if constexpr (std::is_floating_point_v<Sum>)
    return static_cast<Sum>(factor) * sum;
  else
    return static_cast<Sum>(static_cast<std::int64_t>(factor)) * sum;
}

std::vector<Tensor> evaluate_gemm(const OpCall& call, std::span<const Tensor> inputs) {
  const GemmGeometry gemm = gemm_geometry(call);
  const Epilogue epilogue = read_epilogue(call);
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  const Tensor c = epilogue.bias ? spread(inputs[2], out.dims()) : Tensor{};
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Sum = Accumulator<T>;
    const Widened<T> a(inputs[0].data<T>());
    const Widened<T> b(inputs[1].data<T>());
    const Matrix<Sum> left = gemm.transpose_a ? Matrix<Sum>{a.data(), 1, gemm.rows}
                                              : Matrix<Sum>{a.data(), gemm.depth, 1};
    const Matrix<Sum> right = gemm.transpose_b ? Matrix<Sum>{b.data(), 1, gemm.depth}
                                               : Matrix<Sum>{b.data(), gemm.columns, 1};
    const auto result = out.mutable_data<T>();
    std::size_t at = 0;
    multiply(left, right, gemm.rows, gemm.depth, gemm.columns, [&](Sum sum) {
      sum = scaled(sum, gemm.alpha);
      if (epilogue.bias) sum += scaled(static_cast<Sum>(load(c.data<T>()[at])), gemm.beta);
      write_result(epilogue, inputs, sum, at, result);
      ++at;
    });
  });
  return {out};
}

}  // namespace

std::vector<OpDef> gemm_ops() {
  OpDef def;
  def.name = "Gemm";
  def.takes_epilogue = true;
  def.weight_axis = 1;
  def.versions = {1, 6, 7, 9, 11, 13};
  def.min_inputs = 2;
  def.max_inputs = 4;
  def.attributes = with_epilogue_attributes({{"alpha", AttributeKind::Real},
                                             {"beta", AttributeKind::Real},
                                             {"transA", AttributeKind::Integer},
                                             {"transB", AttributeKind::Integer}});
  def.types = kNumbers;
  def.infer = infer_gemm;
  def.work = gemm_work;
  def.footprint = gemm_launch;
  def.evaluate = evaluate_gemm;
  def.expand = expand_epilogue;
  def.needs_expansion = has_epilogue_in;
  return {def};
}

}  // namespace braid
