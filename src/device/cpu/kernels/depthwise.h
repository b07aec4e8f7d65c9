#pragma once

#include <cstdint>
#include <mutex>

#include "device/cpu/kernels/activation_step.h"
#include "device/cpu/kernels/depthwise_block.h"
#include "device/cpu/machine/large_pages.h"
#include "ops/conv.h"
#include "plan/plan.h"

namespace braid::cpu {

/// Where rows of pixels of one image come from and go to.
struct DepthwiseRows {
  const float* image = nullptr;     ///< of the input
  const float* bias = nullptr;      ///< null: 0
  const float* residual = nullptr;  ///< of the first of the pixels; null: none
  float* to = nullptr;              ///< the first of the pixels
  std::int64_t pitch = 0;           ///< from pixel to pixel of the output
};

/// A convolution of channels-last values in which every channel has a kernel of its own. Vectors
/// go along channels:
///
///     for channels that stay in a cache
///       for a row of output pixels       which taps read rows of the input, not padding;
///                                        two rows if all taps do
///         for a block of its pixels      by its taps of a row: all, or fewer at the ends
///           for a vector of channels     sums in registers
///
/// Every element is one sum in one order, whichever rows and channels are asked for together.
class Depthwise {
 public:
  /// Whether a convolution is of this kind, with weights that are known, on float32.
  static bool suits(const OpCall& call, const ConvGeometry& conv);

  Depthwise(const ConvGeometry& conv, const Epilogue& epilogue, Tensor weights);

  /// Packs the weights at the first call.
  void make();
  /// Rows of pixels: all axes of the output but the last, counted through.
  void run(const DepthwiseRows& at, CutRange rows, CutRange channels) const;

 private:
  struct Row;

  std::int64_t lines() const;
  float weight(std::int64_t channel, std::int64_t tap, std::int64_t taps) const;
  void find_inner_columns();
  std::int64_t input_at(std::size_t axis, std::int64_t output, std::int64_t tap) const;
  std::int64_t rows_together(std::int64_t index, std::int64_t end) const;
  void run_row(Row& row, CutRange channels) const;
  void slide_whole_vectors(Row& row, CutRange channels) const;
  void find_row(const DepthwiseRows& at, std::int64_t index, std::int64_t pixels_before,
                Row& row) const;
  void slide(Row& row) const;
  void run_any_columns(Row& row, std::int64_t lanes) const;
  void run_pixels(Row& row, RunDepthwiseBlock run_block, CutRange columns,
                  std::int64_t lanes) const;

  std::int64_t channels_;
  Window window_;
  std::int64_t channels_together_;
  BlockActivation done_in_blocks_;
  ActivationStep activation_;
  Tensor weights_;
  const Isa isa_ = isa();
  const SlidingBlocks& sliding_;
  const SlidingBlocks& sliding_pairs_;
  CutRange inner_;
  std::mutex making_;
  HeldBytes packed_;
};

}  // namespace braid::cpu
