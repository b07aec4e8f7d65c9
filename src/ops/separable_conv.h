#pragma once

#include "ops/op.h"

namespace braid {

/// SeparableConv(x, depthwise weights, pointwise weights, depthwise bias?, pointwise bias?,
/// residual?): a Conv with a group for each channel and then a Conv by 1x1 that alone reads its
/// result. Attributes of the window are the first Conv's, as are those whose names begin with
/// `depthwise_`; those of the epilogue are the second's, and so is the residual.
struct SeparableInput {
  static constexpr std::size_t kPointwiseWeights = 2;
  static constexpr std::size_t kDepthwiseBias = 3;
  static constexpr std::size_t kPointwiseBias = 4;
  static constexpr std::size_t kResidual = 5;
};

/// The attributes of a SeparableConv that does what two Convs do.
Attributes separable_attributes(const Attributes& depthwise, const Attributes& pointwise);

/// The two Convs of a SeparableConv.
class SeparableCalls {
 public:
  /// The call outlives it. Throws as Conv does, and if a Conv is not as it should be.
  explicit SeparableCalls(const OpCall& call);
  SeparableCalls(const SeparableCalls&) = delete;
  SeparableCalls& operator=(const SeparableCalls&) = delete;

  const OpCall& depthwise() const { return depthwise_; }
  const OpCall& pointwise() const { return pointwise_; }

 private:
  Attributes depthwise_attributes_;
  Attributes pointwise_attributes_;
  OpCall depthwise_;
  OpCall pointwise_;  // reads an output type of the other
};

}  // namespace braid
