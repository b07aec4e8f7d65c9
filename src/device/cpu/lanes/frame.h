#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/cpu/lanes/counter.h"
#include "device/cpu/lanes/script.h"

namespace braid::cpu {

/// The memory of one run: its arena, aligned to 64 bytes, the arguments of every step, and how far
/// the lanes are. Made once for many runs, one at a time.
class Frame {
 public:
  /// The script outlives it. Throws Quota if there is no memory.
  explicit Frame(const Script& script);

  /// Tells, before each run, where its inputs and outputs are. Sets the lanes back to their
  /// beginning.
  void bind(std::span<const std::byte* const> inputs, std::span<std::byte* const> produced);

  /// The arguments of the `step`-th step of the script.
  const KernelArgs& args(std::size_t step) const { return args_[step]; }
  /// How many steps a lane has ended, as far as others wait for it.
  Counter& ended(int lane) { return ended_[static_cast<std::size_t>(lane)]; }
  std::span<std::byte> arena() { return {arena_.get(), arena_bytes_}; }

 private:
  /// A pointer that each run decides: `slots[slot] = tensors[index]`.
  struct Patch {
    std::size_t slot = 0;
    std::size_t index = 0;
  };

  void resolve(const Script& script);
  std::byte* in_arena(const Place& place) const;  // null if it is not there

  std::size_t arena_bytes_;
  std::shared_ptr<std::byte> arena_;
  std::vector<Counter> ended_;
  std::vector<const std::byte*> sources_;  // of all steps, one after another
  std::vector<std::byte*> targets_;
  std::vector<KernelArgs> args_;
  std::vector<Patch> from_inputs_;    // in sources_
  std::vector<Patch> from_produced_;  // in sources_
  std::vector<Patch> to_produced_;    // in targets_
};

/// Frames kept for the next run: as many as there were runs at once. Safe to use from several
/// threads.
class FramePool {
 public:
  /// The script outlives it.
  explicit FramePool(const Script& script) : script_(script) {}

  /// A frame, returned to the pool at the end.
  class Lease {
   public:
    explicit Lease(FramePool& pool) : pool_(pool), frame_(pool.take()) {}
    ~Lease() { pool_.give_back(std::move(frame_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Frame& operator*() const { return *frame_; }

   private:
    FramePool& pool_;
    std::unique_ptr<Frame> frame_;
  };

 private:
  std::unique_ptr<Frame> take();
  void give_back(std::unique_ptr<Frame> frame);

  const Script& script_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> free_;
};

}  // namespace braid::cpu
