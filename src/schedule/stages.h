#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cost/cost_model.h"

namespace braid {

using UnitSet = std::uint64_t;  ///< of at most 64 units, a bit each

/// A piece of a graph to be run in stages, one after another (IOS). In a stage, groups of units
/// that do not touch run side by side, the units of a group in order.
struct StageProblem {
  std::vector<UnitSet> after;   ///< by unit: the units right after it, all of greater index
  std::vector<UnitSet> before;  ///< by unit
  std::vector<Cost> costs;      ///< by unit
  int streams = 1;              ///< that a stage may use
  double barrier_us = 0;        ///< at the end of a stage of several groups
  /// The time of a stage, given the units of its streams; empty: by the costs.
  std::function<double(const std::vector<UnitSet>&)> measure = {};

  std::size_t units() const { return costs.size(); }
};

struct StageLimits {
  int group_units = 3;         ///< r: units of a group at most
  int groups = 8;              ///< s: groups of a stage at most
  bool single_source = false;  ///< only groups with one first unit, as in IOS's code
  std::int64_t transitions = std::int64_t{1} << 62;  ///< looked at before giving up
};

struct StageSolution {
  double time_us = 0;
  std::vector<std::vector<UnitSet>> stages;  ///< in order, each the units of its streams
  std::int64_t states = 0;
  std::int64_t transitions = 0;
};

/// The stages of least time, by dynamic programming over what remains to be run (IOS, section 4):
///
///     cost(S) = min over endings E of S:  cost(S - E) + stage_us(E)
///
/// An *ending* is a set of units that none of the others in S comes after; it is the last stage.
/// Nothing if the limit of transitions is met.
std::optional<StageSolution> best_stages(const StageProblem& problem, const StageLimits& limits);

/// The groups of units on at most `streams` streams: the two shortest are joined until they fit.
std::vector<UnitSet> on_streams(const StageProblem& problem, std::vector<UnitSet> groups);

/// The time of a stage: as measured, if it is; else of its longest stream, or what its units need
/// of the whole device's arithmetic or bandwidth if that is longer.
double stage_us(const StageProblem& problem, const std::vector<UnitSet>& streams);

}  // namespace braid
