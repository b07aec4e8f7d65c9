#include "measure/turns_of_nodes.h"

#include <algorithm>

#include "base/samples.h"

namespace braid {
namespace {

constexpr std::size_t kGroupProbes = 48;
constexpr std::int64_t kGroupBytes = std::int64_t{256} << 20;
/// The time to compile a node, touch its memory and run it once.
constexpr double kSetup_us = 10'000;
constexpr double kTypicalPercentile = 20;

/// What measuring is thought to take, so that progress is in proportion to time.
double predicted_us(const Wanted& wanted, const MeasureOptions& options) {
  const int rounds = options.rounds + options.rounds_beside;
  const double least_us = 2 * options.rounds_at_least * wanted.modelled_us;
  return kSetup_us + std::max(least_us, std::min(options.budget_us, rounds * wanted.modelled_us));
}

double predicted_us(std::span<const Wanted> all, const MeasureOptions& options) {
  double sum_us = 0;
  for (const Wanted& wanted : all) sum_us += predicted_us(wanted, options);
  return sum_us;
}

/// How many of the first ones take turns.
std::size_t group_size(std::span<const Wanted> wanted) {
  std::size_t size = 1;
  std::int64_t bytes = wanted[0].bytes;
  while (size < wanted.size() && size < kGroupProbes && bytes + wanted[size].bytes <= kGroupBytes)
    bytes += wanted[size++].bytes;
  return size;
}

}  // namespace

void measure_in_turns(const Device& device, const Graph& lowered, std::span<const Wanted> wanted,
                      const MeasureOptions& options, const Progress& progress,
                      const KeepProbes& keep) {
  const double total_us = predicted_us(wanted, options);
  double done_us = 0;
  while (!wanted.empty()) {
    const std::span<const Wanted> group = wanted.first(group_size(wanted));
    const double group_us = predicted_us(group, options);
    std::vector<Probe> probes;
    for (const Wanted& one : group) probes.push_back({one.node, one.parts});
    const auto watch = [&](double share) {
      report(progress, "profiling", static_cast<std::int64_t>(done_us + share * group_us),
             static_cast<std::int64_t>(total_us));
    };
    try {
      device.meter()->measure_nodes(device, lowered, probes, options, watch);
    } catch (...) {
      keep(group, probes);
      throw;
    }
    keep(group, probes);
    done_us += group_us;
    wanted = wanted.subspan(group.size());
  }
}

bool is_measured(const Probe& probe, const MeasureOptions& options) {
  return probe.failure.empty() &&
         static_cast<int>(probe.alone_us.size()) >= options.rounds_at_least;
}

Measurement measurement_of(const Samples& samples, const std::string& op, double modelled_us) {
  Measurement measurement;
  measurement.op = op;
  measurement.time_us = percentile(samples.alone_us, kTypicalPercentile);
  measurement.time_beside_us = measurement.time_us;
  if (!samples.beside_us.empty())
    measurement.time_beside_us =
        std::max(measurement.time_us, percentile(samples.beside_us, kTypicalPercentile));
  measurement.modelled_us = modelled_us;
  measurement.samples = static_cast<int>(samples.alone_us.size());
  return measurement;
}

}  // namespace braid
