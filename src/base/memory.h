#pragma once

#include <cstdint>
#include <string>

namespace braid {

/// Bytes of memory that this process can hope for: the machine's, or its control groups' least
/// limit if that is less. Read once.
std::int64_t memory_of_machine();

/// What may be allocated without driving out others: what the system calls available, or what is
/// left of a control group's limit if that is less; 0 if neither is known. `proc` and `sys` are
/// where the system's tables are.
std::int64_t free_memory_bytes(const std::string& proc = "/proc", const std::string& sys = "/sys");

}  // namespace braid
