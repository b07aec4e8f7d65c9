#include "ops/activation_cpu.h"

#include "base/error.h"

namespace braid::cpu {

ActivationStep activation_step(const Epilogue& epilogue) {
  const auto step = [&](std::string_view name) {
    return ActivationStep{block_function(name), epilogue.alpha, epilogue.beta};
  };
  switch (epilogue.activation) {
    case Activation::None:
      return {};
    case Activation::Relu:
      return step("Relu");
    case Activation::LeakyRelu:
      return step("LeakyRelu");
    case Activation::Elu:
      return step("Elu");
    case Activation::Clip:
      return step("Clip");
    case Activation::Sigmoid:
      return step("Sigmoid");
    case Activation::HardSigmoid:
      return step("HardSigmoid");
    case Activation::HardSwish:
      return step("HardSwish");
    case Activation::Silu:
      return {block_function("Swish"), 1, 0};
    case Activation::Tanh:
      return step("Tanh");
    case Activation::Gelu:
      return step("Gelu");
    case Activation::GeluTanh:
      return step("GeluTanh");
  }
  raise(ErrorKind::Internal, "an activation without a step");
}

}  // namespace braid::cpu
