#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/gpu_spec.h"
#include "sim/kernel.h"

namespace braid::sim {

/// Blocks of one launch that were placed on an SM together and are in the same state.
struct Resident {
  std::int32_t launch = 0;
  std::int32_t kernel = 0;  ///< in the Machine
  std::int32_t count = 0;
  double fill_left_us = 0;
  double work_left = 1;  ///< fraction of each block
  double rate = 0;       ///< fraction of each block per us

  bool running() const { return fill_left_us <= 0; }
  bool operator==(const Resident&) const = default;
};

/// SMs that hold the same blocks in the same state.
struct SmGroup {
  std::int32_t sms = 0;
  std::uint64_t order = 0;  ///< of the first of them
  int free_threads = 0;
  int free_blocks = 0;
  std::int64_t free_registers = 0;
  std::int64_t free_shared_bytes = 0;
  std::vector<Resident> residents;
};

/// Which blocks are where.
class Residency {
 public:
  Residency(const GpuSpec& gpu, std::uint64_t placement_seed);

  /// Takes all blocks away.
  void clear();
  /// Places up to `blocks` blocks, one after another on the SM that has most room for them, and
  /// returns how many found room.
  std::int64_t place(std::int32_t launch, std::int32_t kernel, const BlockNeeds& needs,
                     std::int64_t blocks, double fill_us);
  /// Gives back the room of blocks that are done. The caller removes them from `residents`.
  static void release(SmGroup& group, const BlockNeeds& needs, std::int32_t count);
  /// Joins groups that have become equal.
  void merge();

  std::span<SmGroup> groups() { return std::span(groups_).first(count_); }
  std::span<const SmGroup> groups() const { return std::span(groups_).first(count_); }

 private:
  /// How free a group is for the kernel that is being placed.
  struct Room {
    std::int64_t blocks = 0;
    int free_threads = 0;
    std::int64_t free_registers = 0;
    std::uint64_t tie = 0;
    std::size_t group = 0;
  };
  static void add(SmGroup& group, Resident resident, std::int64_t count, const BlockNeeds& needs);
  std::int64_t level_for(std::int64_t blocks) const;
  void sort_freest_first();
  void split(std::size_t group, std::int32_t sms);

  std::uint64_t seed_ = 0;
  SmGroup all_;                  // SMs without blocks
  std::vector<SmGroup> groups_;  // those behind `count_` are spare
  std::size_t count_ = 1;
  std::vector<Room> rooms_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace braid::sim
