#pragma once

#include <cstdint>

#include "device/cpu/machine/isa.h"

namespace braid::cpu {

/// A tile of the input, taken through B' d B into one row of each of `inputs` x `inputs` matrices.
struct WinogradInput {
  const float* const* pixels = nullptr;  ///< of the tile, row after row, with all their channels
  std::int64_t channels = 0;
  float* to = nullptr;             ///< the row in the first matrix; whole vectors are written
  std::int64_t matrix_stride = 0;  ///< from there to the row in the next
};

/// A tile of the output from one row of each matrix of products: A' m A, then bias, residual and
/// Relu.
struct WinogradOutput {
  const float* products = nullptr;  ///< the row in the first matrix
  std::int64_t matrix_stride = 0;
  std::int64_t columns = 0;                ///< whole vectors
  const float* bias = nullptr;             ///< null: 0
  const float* const* residual = nullptr;  ///< of each pixel, row after row; null: none
  bool relu = false;
  float* const* to = nullptr;  ///< of each pixel
  /// A vector that becomes NaN, in one element or another, if a sum is NaN or infinite.
  float* not_finite = nullptr;
};

/// F(outputs x outputs, 3 x 3) by one instruction set. The bits of a result depend on the numbers
/// that its tile reads alone.
struct WinogradTransforms {
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;              ///< outputs + 2
  const double (*filter)[3] = nullptr;  ///< G, `inputs` rows
  void (*input)(const WinogradInput&) = nullptr;
  void (*output)(const WinogradOutput&) = nullptr;

  std::int64_t matrices() const { return inputs * inputs; }
  std::int64_t pixels() const { return outputs * outputs; }
};

/// Of as many lanes as the set's panel_shape(). `outputs` is 2 or 4.
WinogradTransforms winograd_transforms(Isa isa, std::int64_t outputs);

/// Over all forms.
inline constexpr std::int64_t kMostWinogradInputs = 6;
inline constexpr std::int64_t kMostWinogradMatrices = kMostWinogradInputs * kMostWinogradInputs;
inline constexpr std::int64_t kMostWinogradPixels = 16;

}  // namespace braid::cpu
