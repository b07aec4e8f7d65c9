#pragma once

#include <cstdint>
#include <limits>

#include "device/cpu/kernels/activation_step.h"
#include "device/cpu/kernels/registers.h"

namespace braid::cpu {

/// An activation that is cheap enough for blocks to do it on their sums in registers. Relu is a
/// Clip without an upper bound.
struct BlockActivation {
  enum class Kind { None, Clip, HardSwish };
  Kind kind = Kind::None;
  float low = 0;
  float high = std::numeric_limits<float>::infinity();
};

/// None if the activation is not of those, or if there is none.
inline BlockActivation block_activation(const Epilogue& epilogue) {
  using Kind = BlockActivation::Kind;
  if (epilogue.activation == nullptr) return {};
  if (epilogue.is_relu()) return {.kind = Kind::Clip};
  if (epilogue.activation->name == "clip") return {Kind::Clip, epilogue.alpha, epilogue.beta};
  if (epilogue.activation->name == "hardswish") return {.kind = Kind::HardSwish};
  return {};
}
/// The activation that is left to do after the sums; none if blocks do it.
inline ActivationStep step_after_blocks(const Epilogue& epilogue) {
  const bool done = block_activation(epilogue).kind != BlockActivation::Kind::None;
  return done ? ActivationStep{} : activation_step(epilogue);
}

/// A number that is not one stays so.
template <int Lanes>
[[gnu::always_inline]] inline void clip_register(typename Register<Lanes>::Vector& x, float low,
                                                 float high) {
  using Vector = typename Register<Lanes>::Vector;
  const Vector lows = low - Vector{};
  const Vector highs = high - Vector{};
  x = x < lows ? lows : x;
  x = x > highs ? highs : x;
}

template <int Lanes, int Rows, int Vectors>
[[gnu::always_inline]] inline void activate_registers(
    typename Register<Lanes>::Vector (&sums)[Rows][Vectors], const BlockActivation& activation) {
  using Kind = BlockActivation::Kind;
  if (activation.kind == Kind::None) return;
#pragma GCC unroll 10
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      if (activation.kind == Kind::Clip) {
        clip_register<Lanes>(sums[r][v], activation.low, activation.high);
        continue;
      }
      typename Register<Lanes>::Vector factor = sums[r][v] * (1.0F / 6) + 0.5F;
      clip_register<Lanes>(factor, 0, 1);
      sums[r][v] *= factor;
    }
}

}  // namespace braid::cpu
