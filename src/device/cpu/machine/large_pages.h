#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace braid::cpu {

/// Memory that runs walk through again and again. Where it is long enough the kernel is asked to
/// back it with large pages, which are looked up more quickly than small ones. Aligned to 64.
/// Throws Quota, naming what it is for, if there is no memory.
std::shared_ptr<std::byte> allocate_for_runs(std::int64_t bytes, const char* what);

/// Bytes that live as long as their owner is held.
struct HeldBytes {
  std::byte* bytes = nullptr;
  std::shared_ptr<const void> owner;
};
/// Room for a constant. Constants lie side by side, so that small ones share large pages; the room
/// is given back when none of its constants is held any more.
HeldBytes room_for_constant(std::int64_t bytes);

}  // namespace braid::cpu
