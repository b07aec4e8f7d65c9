#pragma once

#include "device/cpu/kernel.h"
#include "plan/plan.h"

namespace braid::cpu {

/// A cut of a row-major value along its first axis that has more than one element, so that parts
/// are contiguous. The value has at least one axis.
Cut outermost_cut(const TensorType& type);
/// The elements of the value that a part along outermost_cut() writes; all of them if it is uncut.
CutRange outermost_range(const TensorType& type, const Part& part);

}  // namespace braid::cpu
