#pragma once

#include <cstdint>

namespace braid {

/// Bytes of memory that this process can hope for: the machine's, or its control group's limit if
/// that is less. Read once.
std::int64_t memory_of_machine();

}  // namespace braid
