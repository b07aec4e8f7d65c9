#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/function_ref.h"
#include "device/cpu/lanes/admission.h"
#include "device/cpu/lanes/counter.h"

namespace braid::cpu {

/// Work on several lanes: called once with the number of each lane, at the same time on different
/// threads. Must not throw.
using LaneJob = FunctionRef<void(int)>;

/// The lanes of a device. Lane 0 of a job is the thread that brings it; lane i is a thread of the
/// pool, started when a job first needs it, asleep while there is nothing to do, and with the
/// settings of LaneSettings. Safe to use from several threads.
///
/// Jobs come to all their lanes in one order, and every lane takes them in that order: of the jobs
/// under way the first always has all its lanes, so no two can wait for each other.
class LanePool {
 public:
  /// `cores[i % cores.size()]` is where lane i > 0 runs; empty: where the system likes. `available`
  /// is how many lanes can really run at once.
  LanePool(int lanes, int available, std::vector<int> cores = {});
  /// No job may be under way.
  ~LanePool();
  LanePool(const LanePool&) = delete;
  LanePool& operator=(const LanePool&) = delete;

  int lanes() const { return static_cast<int>(lanes_.size()); }
  bool is_pinned() const { return !cores_.empty(); }
  const Patience& patience() const { return patience_; }
  Admission& admission() { return admission_; }

  /// Runs the job on lanes 0 to `lanes` - 1 and returns when all have ended. The caller is admitted
  /// (so there are never more jobs under way than lanes). Throws Device if a thread cannot be
  /// started.
  void run(const LaneJob& job, int lanes);

 private:
  class Lane;

  std::vector<std::uint32_t> post(const LaneJob& job, int lanes);

  const std::vector<int> cores_;
  const Patience patience_;
  Admission admission_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // by number; 0, the caller's, stays empty
};

}  // namespace braid::cpu
