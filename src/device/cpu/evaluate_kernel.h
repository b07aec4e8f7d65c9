#pragma once

#include "device/cpu/kernel.h"

namespace braid::cpu {

/// Runs the operator's plain reference: right for every element type, not fast.
std::optional<Prepared> prepare_evaluate(const OpCall& call);

/// For a call whose outputs have no elements.
Prepared prepare_nothing();

}  // namespace braid::cpu
