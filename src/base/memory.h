#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace braid {

/// Bytes of memory that this process can hope for: the machine's, or its control groups' least
/// limit if that is less. Read once.
std::int64_t memory_of_machine();
/// That least limit, of the groups that proc/self/cgroup and proc/self/mountinfo under `root` tell
/// of; the largest number if there is none.
std::int64_t control_group_memory(const std::filesystem::path& root = "/");

/// What may be allocated without driving out others: the least of what the system calls available,
/// what is left of the control groups' limits, files in memory not counted, and what the process's
/// own limits (`ulimit -v`, `-d`) leave; 0 if nothing of this is known. The system's tables are in
/// `proc` and `sys` under `root`.
std::int64_t free_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace braid
