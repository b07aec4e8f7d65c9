#pragma once

#include <atomic>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include <braid/tensor.h>

#include "device/cpu/lanes/blocked_signals.h"
#include "device/cpu/lanes/frame.h"
#include "device/cpu/lanes/lane_pool.h"
#include "device/cpu/lanes/poison.h"
#include "device/cpu/lanes/run_log.h"
#include "device/cpu/lanes/script.h"
#include "device/device.h"

namespace braid::cpu {

/// One run of a script in a frame.
class Run {
 public:
  /// The inputs have the types that the script says.
  Run(const Script& script, Frame& frame, std::span<const Tensor> inputs,
      const RunOptions& options);

  /// Runs all lanes; the caller is admitted. If steps fail, throws what the first of them threw,
  /// once no lane runs any more.
  std::vector<Tensor> execute(LanePool& pool);

 private:
  // A step is known by its index in the script.
  void run_lane(int lane, const Patience& patience) noexcept;
  void run_steps(int lane, const Patience& patience);
  void wait_for_others(std::size_t i, const Patience& patience);
  void run_step(std::size_t i);
  void poison_before();
  void poison_after(std::size_t i) const;
  std::vector<Tensor> outputs() const;

  const Script& script_;
  Frame& frame_;
  const RunOptions& options_;
  RunLog log_;
  std::optional<Poison> poison_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> produced_;
  std::optional<BlockedSignals>
      callers_signals_;  // while lane 0, the caller's, is one of the lanes
  std::atomic<bool> has_failed_ = false;
  std::exception_ptr failure_;  // of the first step that failed
};

}  // namespace braid::cpu
