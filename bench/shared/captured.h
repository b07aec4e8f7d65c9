#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "device/device.h"
#include "graph/graph.h"
#include "plan/plan.h"

namespace braid::bench {

/// A network as a framework runs it, in one CUDA Graph on a simulated GPU.
struct Captured {
  std::unique_ptr<Device> device;
  Graph lowered;

  /// A Plan by the scheduler of that name, which may carry a variant.
  Plan plan(std::string_view scheduler) const;
  SimulatedTime time(std::string_view scheduler) const;
};

/// `setup` is words of the device: "eager", a kernel or more for every operator, or "framework",
/// normalisations folded and bias and activation in the convolution; perhaps with "+tf32".
Captured capture(std::string_view gpu, std::string_view setup, std::string_view network,
                 std::int64_t batch);
/// The same on a device that is named in full: without such words, in the kernels that Braid takes.
Captured capture(std::string_view device, std::string_view network, std::int64_t batch);

}  // namespace braid::bench
