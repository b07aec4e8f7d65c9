#pragma once

#include <cstdint>
#include <string>

namespace braid {

/// The size of the largest cache that the first processor has, as the system tells; 0 if it does
/// not. `sys` is where its tables are.
std::int64_t last_level_cache_bytes(const std::string& sys = "/sys");

/// What may be allocated without driving out others: what the system calls available, or what is
/// left of the control group's limit if that is less; 0 if neither is known.
std::int64_t free_memory_bytes(const std::string& proc = "/proc", const std::string& sys = "/sys");

}  // namespace braid
