#pragma once

#include <string_view>

#include "device/cpu/kernel.h"

namespace braid::cpu {

/// The first way to run the call among those of its operator. The last resort, for every operator
/// in the catalogue, is its own `evaluate`.
Prepared prepare(const OpCall& call);
/// The way of that name; nothing if there is none here.
std::optional<Prepared> prepare_as(const OpCall& call, std::string_view implementation);

}  // namespace braid::cpu
