#include "ops/epilogue_cpu.h"

#include "base/error.h"

namespace braid::cpu {

Eltwise eltwise_of(const Epilogue& epilogue) {
  using dnnl::algorithm;
  switch (epilogue.activation) {
    case Activation::Relu:
      return {algorithm::eltwise_relu};
    case Activation::LeakyRelu:
      return {algorithm::eltwise_relu, epilogue.alpha};
    case Activation::Elu:
      return {algorithm::eltwise_elu, epilogue.alpha};
    case Activation::Clip:
      return {algorithm::eltwise_clip, epilogue.alpha, epilogue.beta};
    case Activation::Sigmoid:
      return {algorithm::eltwise_logistic};
    case Activation::HardSigmoid:
      return {algorithm::eltwise_hardsigmoid, epilogue.alpha, epilogue.beta};
    case Activation::HardSwish:
      return {algorithm::eltwise_hardswish, 1.0F / 6, 0.5F};
    case Activation::Silu:
      return {algorithm::eltwise_swish, 1};
    case Activation::Tanh:
      return {algorithm::eltwise_tanh};
    case Activation::Gelu:
      return {algorithm::eltwise_gelu_erf};
    case Activation::GeluTanh:
      return {algorithm::eltwise_gelu_tanh};
    case Activation::None:
      break;
  }
  raise(ErrorKind::Internal, "no activation to describe");
}

dnnl::post_ops post_ops_of(const Epilogue& epilogue, const dnnl::memory::desc& output,
                           Residual residual) {
  dnnl::post_ops post_ops;
  if (epilogue.residual && residual == Residual::Sum) post_ops.append_sum(1.0F);
  if (epilogue.residual && residual == Residual::Operand)
    post_ops.append_binary(dnnl::algorithm::binary_add, output);
  if (epilogue.activation != Activation::None) {
    const Eltwise eltwise = eltwise_of(epilogue);
    post_ops.append_eltwise(eltwise.algorithm, eltwise.alpha, eltwise.beta);
  }
  return post_ops;
}

void add_residual(PrimitiveUse& use, std::size_t input, Residual residual) {
  Operand operand = use.output;
  operand.index = input;
  operand.argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
  if (residual == Residual::Sum)
    use.residual = operand;
  else
    use.inputs.push_back(operand);
}

}  // namespace braid::cpu
