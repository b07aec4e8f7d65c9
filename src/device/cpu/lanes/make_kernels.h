#pragma once

#include <span>

#include "device/cpu/kernels/kernel_store.h"
#include "plan/plan.h"

namespace braid::cpu {

/// Makes the kernels of all steps of the Plans by that many threads, each node by one of them:
/// packing weights takes most of the time from a file to the first answer. What cannot be made is
/// left out, for whoever asks for it to learn why.
void make_kernels(const Graph& lowered, std::span<const Plan> plans, int threads,
                  KernelStore& kernels);

}  // namespace braid::cpu
