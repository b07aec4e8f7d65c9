#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/gpu_spec.h"
#include "sim/kernel.h"
#include "sim/machine.h"

namespace braid::sim {

/// A kernel on a stream. It begins after the launch before it on its stream has ended and after all
/// launches that it waits for.
struct Launch {
  Kernel kernel;
  int stream = 0;
  int priority = 0;                 ///< blocks of a higher priority are placed first
  std::vector<std::int32_t> after;  ///< indices of earlier launches on other streams
  int events = 0;                   ///< records and waits that the host does for it
  int library_calls = 0;            ///< of a vendor library, that the host makes to launch it
  bool device_sync = false;         ///< the host waits for an idle device before it
};

enum class LaunchMode {
  Graph,   ///< a CUDA Graph: everything is known to the device from the start
  Streams  ///< the host launches one kernel after another
};

struct EngineOptions {
  LaunchMode mode = LaunchMode::Graph;
  bool final_sync = false;           ///< the host waits for the device at the end, and it counts
  std::uint64_t placement_seed = 0;  ///< decides between SMs that are equally free; 0: the first
  bool log_usage = false;            ///< fill Simulation::usage
};

struct LaunchTimes {
  double begin_us = 0;  ///< the first block is placed
  double end_us = 0;    ///< the last block has ended
};

/// How much of the device is in use from a moment on, as shares of the whole.
struct Usage {
  double at_us = 0;
  double sms = 0;      ///< that hold a block
  double threads = 0;  ///< of those that the SMs could hold
  double dram = 0;     ///< of the bandwidth
};

struct Simulation {
  double time_us = 0;
  std::vector<LaunchTimes> launches;
  double busy_share = 0;  ///< of all SMs' time: with at least one block
  std::vector<Usage> usage = {};
};

/// A launch of a Machine's kernel.
struct Slot {
  std::int32_t kernel = 0;
  std::int32_t stream = 0;
  std::int32_t priority = 0;
  std::int32_t events = 0;
  std::int32_t library_calls = 0;
  std::int32_t first_wait = 0;  ///< in Slots::waits; those of the next slot begin where its end
  bool device_sync = false;
};

/// Launches (see Launch), packed.
struct Slots {
  std::vector<Slot> slots;
  std::vector<std::int32_t> waits;

  std::span<const std::int32_t> waits_of(std::size_t slot) const {
    const auto first = static_cast<std::size_t>(slots[slot].first_wait);
    const std::size_t end = slot + 1 < slots.size()
                                ? static_cast<std::size_t>(slots[slot + 1].first_wait)
                                : waits.size();
    return std::span(waits).subspan(first, end - first);
  }
};

/// Launches with their kernels apart.
struct Packed {
  std::vector<Kernel> kernels;
  Slots slots;
};
Packed packed(std::span<const Launch> launches);

/// Runs launches on the modelled GPU, block by block.
///
/// A kernel that is ready joins a queue (of its priority, in the order of being ready). Only the
/// first of the queue gets its blocks placed, each on the SM that has most room for it; once all
/// are placed the next one may use what is left. Running blocks are never moved. The blocks of an
/// SM share its arithmetic, all SMs share DRAM and L2 bandwidth, the smallest demands first.
/// SMs with the same blocks in the same state are one record, so that a step of the simulation
/// costs by kinds of SM, not by SMs or blocks.
///
/// The same arguments give the same result, bit by bit. Launches are in an order in which each
/// comes after those it waits for; throws Internal if not.
Simulation simulate(const GpuSpec& gpu, std::span<const Launch> launches,
                    const EngineOptions& options = {});

/// The same for many runs with the same kernels. Not for several threads at once.
class Simulator {
 public:
  explicit Simulator(Machine machine, const EngineOptions& options = {});
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;
  ~Simulator();

  Simulation run(const Slots& slots);
  /// Simulation::time_us alone; more quickly.
  double time_us(const Slots& slots);

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace braid::sim
