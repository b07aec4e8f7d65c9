#pragma once

#include <cstdint>

namespace braid::cpu {

/// A core's own caches. Where the system does not tell, they are as small as those of most
/// processors: 32 KiB in 8 ways, and 512 KiB.
std::int64_t first_level_bytes();
std::int64_t first_level_ways();
std::int64_t second_level_bytes();

}  // namespace braid::cpu
