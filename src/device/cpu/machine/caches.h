#pragma once

#include <cstdint>

namespace braid::cpu {

/// Bytes of a core's first-level cache for data; 32 KiB if the system does not tell.
std::int64_t first_level_bytes();
/// Bytes of a core's second-level cache; 512 KiB if the system does not tell.
std::int64_t second_level_bytes();

}  // namespace braid::cpu
