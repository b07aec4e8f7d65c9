#pragma once

#include "device/cpu/onednn.h"
#include "ops/epilogue.h"

namespace braid::cpu {

/// An activation as oneDNN knows it.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};
Eltwise eltwise_of(const Epilogue& epilogue);

/// The residual (as a sum with what the output holds) and the activation as post-ops.
dnnl::post_ops post_ops_of(const Epilogue& epilogue);

}  // namespace braid::cpu
