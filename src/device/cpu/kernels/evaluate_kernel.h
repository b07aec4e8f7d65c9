#pragma once

#include "device/cpu/kernels/kernel.h"

namespace braid::cpu {

/// Runs the operator's plain reference: right for every element type, not fast.
std::optional<Way> prepare_evaluate(const OpCall& call);

/// The way to run a call whose outputs have no elements.
Way prepare_nothing();

}  // namespace braid::cpu
