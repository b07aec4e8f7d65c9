#include "device/cpu/frame.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kAlignment = 64;

std::byte* allocate(std::int64_t bytes) {
  const std::int64_t rounded = checked_mul(ceil_div(checked_add(bytes, 1), kAlignment), kAlignment);
  auto* memory = rounded > memory_of_machine()
                     ? nullptr
                     : static_cast<std::byte*>(
                           std::aligned_alloc(kAlignment, static_cast<std::size_t>(rounded)));
  if (memory == nullptr)
    raise(ErrorKind::Quota, fmt::format("no memory for an arena of {} bytes", bytes));
  return memory;
}

}  // namespace

void Frame::Free::operator()(std::byte* memory) const { std::free(memory); }

Frame::Frame(std::int64_t arena_bytes) : arena_(allocate(arena_bytes)) {}

std::unique_ptr<Frame> FramePool::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Frame> frame = std::move(free_.back());
      free_.pop_back();
      return frame;
    }
  }
  return std::make_unique<Frame>(arena_bytes_);
}

void FramePool::give_back(std::unique_ptr<Frame> frame) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(frame));
}

}  // namespace braid::cpu
