#pragma once

#include "device/cpu/onednn/onednn.h"
#include "ops/shared/epilogue.h"

namespace braid::cpu {

/// An activation as oneDNN knows it.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};
/// oneDNN's form of an activation (ActivationDef::step); it stands beside our own function of the
/// same step, in kernels/elementwise.cpp.
Eltwise eltwise_of(std::string_view step, float alpha, float beta);

/// How a residual enters: read where it lies, or added to what the output's memory holds.
enum class Residual { Operand, Sum };

/// The residual, in the output's layout, and the activation as post-ops.
dnnl::post_ops post_ops_of(const Epilogue& epilogue, const dnnl::memory::desc& output,
                           Residual residual);
/// Whether a step of our own has to follow an implementation, instead of the activation among its
/// post-ops: it loses NaN without an invalid operation.
bool activates_quietly(std::string_view implementation);
/// Gives the use its residual, an input that lies like the output.
void add_residual(PrimitiveUse& use, std::size_t input, Residual residual);

}  // namespace braid::cpu
