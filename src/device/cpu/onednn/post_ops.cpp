#include "device/cpu/onednn/post_ops.h"

namespace braid::cpu {

dnnl::post_ops post_ops_of(const Epilogue& epilogue, const dnnl::memory::desc& output,
                           Residual residual) {
  dnnl::post_ops post_ops;
  if (epilogue.residual && residual == Residual::Sum) post_ops.append_sum(1.0F);
  if (epilogue.residual && residual == Residual::Operand)
    post_ops.append_binary(dnnl::algorithm::binary_add, output);
  if (epilogue.activation != nullptr) {
    const Eltwise eltwise = eltwise_of(epilogue.activation->step, epilogue.alpha, epilogue.beta);
    post_ops.append_eltwise(eltwise.algorithm, eltwise.alpha, eltwise.beta);
  }
  return post_ops;
}

bool activates_quietly(std::string_view implementation) {
  return implementation.starts_with("x64:gemm:");
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
