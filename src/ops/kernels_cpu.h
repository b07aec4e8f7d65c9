#pragma once

#include "device/cpu/kernel.h"

namespace braid::cpu {

/// The ways to run operators on the CPU, besides their `evaluate`; device/cpu/kernels.cpp says
/// which operator tries which.
std::optional<Prepared> prepare_add(const OpCall& call);
std::optional<Prepared> prepare_subtract(const OpCall& call);
std::optional<Prepared> prepare_multiply(const OpCall& call);
std::optional<Prepared> prepare_divide(const OpCall& call);
std::optional<Prepared> prepare_minimum(const OpCall& call);
std::optional<Prepared> prepare_maximum(const OpCall& call);
std::optional<Prepared> prepare_eltwise(const OpCall& call);
std::optional<Prepared> prepare_relu(const OpCall& call);

}  // namespace braid::cpu
