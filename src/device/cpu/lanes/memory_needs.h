#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace braid::cpu {

/// Bytes of the constants that kernels of a lowered graph pack for themselves.
std::int64_t packed_bytes(const Graph& lowered);

/// Bytes of the arenas that a Program keeps after so many runs at once, on so many lanes: runs that
/// find all lanes busy take one lane each (lanes/program.h).
std::int64_t kept_arena_bytes(const Graph& lowered, const Plan& plan, int lanes, int calls);

}  // namespace braid::cpu
