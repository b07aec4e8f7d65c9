#pragma once

#include "rewrite/rule.h"

namespace braid::cpu {

/// Joins a Concat of channels and the BatchNormalization that alone reads it, as DenseNet has them,
/// into a ConcatNormalization: the joined value is never written.
Rule fuse_concat_norm();

}  // namespace braid::cpu
