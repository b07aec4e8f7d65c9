#pragma once

#include <cstdint>
#include <vector>

#include "sim/gpu_spec.h"
#include "sim/kernel.h"

namespace braid::sim {

/// Blocks of one launch that were placed on an SM together and are in the same state.
struct Resident {
  std::int32_t launch = 0;
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

  /// Places up to `blocks` blocks, one after another on the SM that has most room for them, and
  /// returns how many found room.
  std::int64_t place(std::int32_t launch, const BlockNeeds& needs, std::int64_t blocks,
                     double fill_us);
  /// Gives back the room of blocks that are done. The caller removes them from `residents`.
  static void release(SmGroup& group, const BlockNeeds& needs, std::int32_t count);
  /// Joins groups that have become equal.
  void merge();

  std::vector<SmGroup>& groups() { return groups_; }
  const std::vector<SmGroup>& groups() const { return groups_; }

 private:
  void add(SmGroup& group, std::int32_t launch, const BlockNeeds& needs, std::int64_t count,
           double fill_us);
  std::vector<std::size_t> by_room(const std::vector<std::int64_t>& room) const;

  std::uint64_t seed_ = 0;
  std::vector<SmGroup> groups_;
  std::vector<std::uint64_t> keys_;  // scratch of merge()
};

}  // namespace braid::sim
