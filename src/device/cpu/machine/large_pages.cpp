#include "device/cpu/machine/large_pages.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "device/cpu/machine/machine.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kAlignment = 64;
/// Bytes of a room for constants; only what is used of it becomes memory.
constexpr std::int64_t kRoom = std::int64_t{32} << 20;

std::int64_t rounded(std::int64_t bytes, std::int64_t unit) {
  return checked_mul(ceil_div(bytes, unit), unit);
}

/// Rooms in which constants lie one after another.
class Rooms {
 public:
  HeldBytes take(std::int64_t bytes) {
    const std::int64_t size = rounded(std::max<std::int64_t>(bytes, 1), kAlignment);
    if (size > kRoom / 2) {
      auto own = allocate_for_runs(size, "a packed constant");
      return {own.get(), own};
    }
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<std::byte> room = room_.lock();
    if (!room || size > kRoom - used_) {
      room = allocate_for_runs(kRoom, "packed constants");
      room_ = room;
      used_ = 0;
    }
    std::byte* place = room.get() + used_;
    used_ += size;
    return {place, std::move(room)};
  }

 private:
  std::mutex mutex_;
  std::weak_ptr<std::byte> room_;  ///< the one that is being filled
  std::int64_t used_ = 0;
};

}  // namespace

std::shared_ptr<std::byte> allocate_for_runs(std::int64_t bytes, const char* what) {
  const std::int64_t page = machine().large_page_bytes;
  const bool is_large = bytes >= page;
  const std::int64_t alignment = is_large ? page : kAlignment;
  const std::int64_t size = rounded(checked_add(bytes, 1), alignment);
  void* memory =
      size > memory_of_machine()
          ? nullptr
          : std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(size));
  if (memory == nullptr)
    raise(ErrorKind::Quota, fmt::format("no memory for {} of {} bytes", what, bytes));
  // Advice that the kernel may refuse.
  if (is_large) madvise(memory, static_cast<std::size_t>(bytes / page * page), MADV_HUGEPAGE);
  return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

HeldBytes room_for_constant(std::int64_t bytes) {
  static Rooms rooms;
  return rooms.take(bytes);
}

}  // namespace braid::cpu
