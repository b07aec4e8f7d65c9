#pragma once

#include "device/cpu/kernels/kernel.h"

namespace braid::cpu {

/// Runs a kernel for row-major values on values in another order, all in the same: it sees their
/// bytes under permuted shapes. For operators that treat all axes alike, except one that the
/// attribute `axis` names. The order is the one in which most bytes of the inputs lie, or row-major
/// if an input cannot be brought into it or the kernel does not take it.
std::optional<Way> prepare_in_any_order(const KernelCall& call, PrepareRowMajor prepare);

}  // namespace braid::cpu
