#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/cpu/kernels/kernel.h"
#include "device/one_node.h"

namespace braid::kernels_bench {

/// A node that runs in one way, with memory of its own.
class TimedWay {
 public:
  /// The node outlives it.
  TimedWay(const OneNode& one, const cpu::Way& way);

  /// Writes the inputs, as their producer would just have done, then runs the kernel once on this
  /// thread; returns the microseconds of the kernel.
  double run_us();

 private:
  cpu::Kernel kernel_;
  std::vector<Tensor> made_;   // inputs that are no constants, as they are made
  std::vector<Tensor> given_;  // and where the kernel reads them
  std::vector<Tensor> constants_;
  std::vector<const std::byte*> inputs_;
  std::vector<Tensor> written_;
  std::vector<std::byte*> outputs_;
  Tensor scratch_;
};

/// Bytes that it takes, about.
std::int64_t bytes_of(const OneNode& one);

}  // namespace braid::kernels_bench
