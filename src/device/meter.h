#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "cost/cost_model.h"
#include "cost/profile_cache.h"
#include "graph/graph.h"

namespace braid {

class Device;

/// How nodes are measured.
///
/// In a run, a node finds its weights where the rest of the network has left them: everything else
/// was touched since their last use. So nodes are measured in groups that take turns, and between
/// two turns `between_bytes` of other memory are read on all cores; then the inputs are written
/// again, as the producer would have done just before, and the arena is read, where other values
/// would have been. Taking turns also spreads the drift of a
/// shared machine over all of them. Runs from which the system took the core are left out if the
/// others are enough.
struct MeasureOptions {
  std::int64_t between_bytes = 0;
  int rounds = 12;             ///< alone
  int rounds_beside = 6;       ///< beside a neighbour that streams memory
  int rounds_at_least = 3;     ///< of each kind, whatever they take
  double budget_us = 200'000;  ///< for a node in all its rounds; slow ones get fewer
};

/// What to measure: a node of a lowered graph whole, or the longest of its parts while all of them
/// run, each on its stream.
struct Probe {
  NodeId node;
  int parts = 1;
  // Filled in by Meter::measure_nodes():
  std::vector<double> alone_us = {};
  std::vector<double> beside_us = {};
  std::string failure = {};  ///< why it cannot be measured; empty if it can
};

/// Told before each run which share of the work is done; may throw to stop.
using Watch = std::function<void(double share)>;

/// Measures what a device takes: a CPU's caches and cores are not a GPU's, so every device that can
/// be measured has its own. The device given is the one whose meter it is, or one that wraps it.
class Meter {
 public:
  virtual ~Meter() = default;

  /// What figures of the device are made from, by the names under which the profile cache keeps
  /// them.
  virtual std::vector<std::string> figures() const = 0;
  /// Measures the times of these, in about a second.
  virtual SamplesBySignature measure_figures(const Device& device,
                                             const Progress& progress) const = 0;
  /// The device's facts with these figures.
  virtual DeviceSpec with_figures(DeviceSpec spec, const SamplesBySignature& samples) const = 0;

  /// Measures the probes in turns. A probe whose node cannot be compiled or run alone says so in
  /// `failure`. What was sampled before an exception of `watch` stays in the probes.
  virtual void measure_nodes(const Device& device, const Graph& lowered, std::span<Probe> probes,
                             const MeasureOptions& options, const Watch& watch) const = 0;
};

}  // namespace braid
