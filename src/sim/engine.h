#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/gpu_spec.h"
#include "sim/kernel.h"

namespace braid::sim {

/// A kernel on a stream. It begins after the launch before it on its stream has ended and after all
/// launches that it waits for.
struct Launch {
  Kernel kernel;
  int stream = 0;
  int priority = 0;                 ///< blocks of a higher priority are placed first
  std::vector<std::int32_t> after;  ///< indices of earlier launches on other streams
  int events = 0;                   ///< records and waits that the host does for it
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

}  // namespace braid::sim
