#pragma once

#include "device/cpu/kernels/elementwise.h"
#include "ops/shared/epilogue.h"

namespace braid::cpu {

/// An activation as a step of the elementwise kernels.
struct ActivationStep {
  BlockFunction function = nullptr;  ///< null: there is none
  float alpha = 0;
  float beta = 0;
};
inline ActivationStep activation_step(const Epilogue& epilogue) {
  if (epilogue.activation == nullptr) return {};
  return {block_function(epilogue.activation->step), epilogue.alpha, epilogue.beta};
}

}  // namespace braid::cpu
