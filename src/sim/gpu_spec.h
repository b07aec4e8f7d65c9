#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/conv_answers.h"
#include "sim/stated_interference.h"

namespace braid::sim {

/// What a streaming multiprocessor (SM) holds at most, and in which units it is given out.
struct SmLimits {
  int threads = 0;
  int blocks = 0;
  std::int64_t registers = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t shared_bytes_per_block = 0;
  std::int64_t shared_bytes_reserved = 0;  ///< taken by the system from every block's SM share
  int shared_unit = 256;                   ///< bytes
  int register_unit = 256;                 ///< registers of a warp
};

/// Fixed times of the host and of the device's front end.
struct LaunchCosts {
  double launch_us = 0;        ///< host: to launch a kernel on a stream
  double library_call_us = 0;  ///< host: in a vendor library before its kernels are launched
  double event_us = 0;         ///< host: to record an event, or to wait for one
  double edge_us = 0;          ///< device: from a kernel's end to its follower on the same stream
  double cross_edge_us = 0;    ///< device: the same across streams
  double graph_us = 0;         ///< from a graph's launch to its first kernels
  double graph_node_us = 0;    ///< device: between two kernels of a graph that are ready at once
  double device_sync_us = 0;   ///< host: to notice that the device is idle
  int hardware_queues = 8;     ///< streams beyond that share one
  /// Branches of a CUDA Graph that the device starts side by side; those beyond share a queue.
  int graph_queues = 2;
};

/// Kernels that behave alike: one template of a library, say. `efficiency` is a fraction of peak
/// arithmetic, or of peak memory bandwidth for kernels that only move bytes.
struct KernelFamily {
  int threads = 128;   ///< of a block
  int registers = 32;  ///< of a thread
  std::int64_t shared_bytes = 0;
  double efficiency = 0.5;
  double saturation_warps = 1;  ///< of an SM, from which on its arithmetic runs at full rate
  double fill_us = 2;           ///< until a block of the first wave does useful work
  double refill_us = 0;         ///< the same for a block that takes the place of another
  double error = 0;             ///< mean absolute error of the time on kernels kept out of the fit
  bool calibrated = false;      ///< fitted to measured kernels

  bool operator==(const KernelFamily&) const = default;
};

/// Which way a library runs an operator: that with the least of weight times modelled time. A
/// library has estimates of its own; the weights say how they differ from ours.
struct KernelChoice {
  std::map<std::string, double, std::less<>> weights;  ///< of the ways that it considers
  /// By which factor what the library takes is slower than what would be fastest, on average.
  double regret = 1;
  double error = 0;  ///< mean absolute error of the time from shapes alone
};

/// A GPU as the model sees it; docs/gpu-model.md describes the file.
struct GpuSpec {
  std::string name;   ///< "a100"
  std::string title;  ///< "NVIDIA A100-SXM4-40GB"
  int compute_major = 0;
  int compute_minor = 0;
  int sms = 0;
  int full_sms = 0;                ///< of the GPU that the file gives the peaks of
  double fp32_flops_per_us = 0;    ///< of all `sms`
  double tensor_flops_per_us = 0;  ///< TF32, of all `sms`; 0: there is none
  double dram_bytes_per_us = 0;    ///< that can be reached, not the peak on paper
  double l2_bytes_per_us = 0;
  std::int64_t l2_bytes = 0;
  double sm_bandwidth_factor = 4;  ///< an SM draws at most this many times its share of memory
  double overlap = 1;  ///< the part of the shorter of arithmetic and memory time that is hidden
  SmLimits sm;
  LaunchCosts costs;
  std::map<std::string, KernelFamily, std::less<>> families;
  /// By kind of operator: "conv", "product", "batched_product". A kind that is not there takes the
  /// fastest.
  std::map<std::string, KernelChoice, std::less<>> choices;
  std::vector<StatedInterference> interference;  ///< empty: all of it follows from the model
  std::string cudnn;  ///< whose answers it takes: the name of a file in cudnn/; empty: none
  std::shared_ptr<const ConvAnswers> conv_answers;  ///< nothing: kernels are chosen by rules
  std::vector<std::string> notes;  ///< what its author should know; see spec_notes()

  /// Throws Model, listing what the file has, if there is no such family.
  const KernelFamily& family(std::string_view called) const;
  /// The weight of a way in the choice of a kind of operator; nothing if the library does not
  /// consider it.
  std::optional<double> weight(std::string_view kind, std::string_view way) const;
};

/// Reads a spec file's text, without the answers that it names. Throws Model with the place;
/// `origin` is its name for messages.
GpuSpec parse_gpu_spec(std::string_view text, std::string_view origin);

/// The spec of that name ("a100"), or of the file at that path if it contains a slash or ends with
/// ".json"; with the answers of cuDNN's heuristics that it names, and a file's with notes. Throws
/// Usage, listing the names, if there is none.
GpuSpec load_gpu_spec(std::string_view name_or_path);

/// Names of the specs that come with Braid, sorted.
std::vector<std::string> gpu_names();

}  // namespace braid::sim
