#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace braid::cpu {

/// The memory of one run: its arena, aligned to 64 bytes, and room for a step's pointers.
class Frame {
 public:
  /// Throws Quota if there is no memory.
  explicit Frame(std::int64_t arena_bytes);

  std::byte* arena() { return arena_.get(); }

  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  std::unique_ptr<std::byte, Free> arena_;
};

/// Frames kept for the next run: as many as there were runs at once. Safe to use from several
/// threads.
class FramePool {
 public:
  explicit FramePool(std::int64_t arena_bytes) : arena_bytes_(arena_bytes) {}

  std::unique_ptr<Frame> take();
  void give_back(std::unique_ptr<Frame> frame);

  std::int64_t arena_bytes() const { return arena_bytes_; }

 private:
  std::int64_t arena_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> free_;
};

}  // namespace braid::cpu
