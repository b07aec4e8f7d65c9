#pragma once

#include "device/lowering/rules.h"
#include "rewrite/steps.h"

namespace braid::cpu {

/// Joins a Concat of channels and the BatchNormalization that alone reads it, as DenseNet has them,
/// into a ConcatNormalization: the joined value is never written.
Rule fuse_concat_norm();

/// Writes an Attention of float32 as a FusedAttention, which has a kernel. One whose scores are
/// wanted, or whose keys are counted by an input, stays as it is.
Rule plain_attention();

/// Joins softmax(scale * q x k, masked) x v, as attention is written, into a FusedAttention: the
/// scores are never written as a whole.
Rule fuse_attention();

/// Runs operators on float16 and bfloat16 in float32, for which there are kernels: a Cast before
/// the first of a row of them, and one behind the last. Values between stay float32, which only
/// adds digits, and constants are cast once. The graph's inputs and outputs keep their types.
RewriteStep widen_small_floats();

/// The rules that this device takes, in the order in which they run before lower_nodes().
inline std::vector<RewriteStep> lowering_steps() {
  return {widen_small_floats(),       step_of(transposed_convs()), step_of(sort_shuffles()),
          step_of(slice_splits()),    step_of(slice_gathers()),    step_of(fuse_concat_norm()),
          step_of(plain_attention()), step_of(fuse_attention()),   step_of(fuse_chains())};
}

}  // namespace braid::cpu
