#pragma once

#include "device/cpu/kernels/kernel.h"
#include "plan/plan.h"

namespace braid::cpu {

/// A cut into parts that are contiguous: along the first axis in memory that has more than one
/// element; none for a value of one element.
std::vector<Cut> cuts_in(const TensorType& type, const AxisOrder& order);
/// The same in a row-major value, if that axis comes before `axis`.
std::vector<Cut> cuts_before(const TensorType& type, std::int64_t axis);
/// The elements, in the order of memory, that a part of such a cut writes; all of them if it is
/// uncut.
CutRange outermost_range(const TensorType& type, const Part& part);

}  // namespace braid::cpu
