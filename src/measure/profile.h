#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/each_once.h"
#include "base/progress.h"
#include "cost/cost_table.h"
#include "cost/profile_cache.h"
#include "device/device.h"
#include "measure/cut_order.h"
#include "measure/exact_cuts.h"

namespace braid {

struct ProfileOptions {
  /// Measure what the cache lacks; else it is modelled.
  bool measure = false;
  /// Measure what the cache has, too, and run contests of Plans again: the new times replace the
  /// old.
  bool remeasure = false;
  /// Use the profile cache (cost/profile_cache.h): read it, and if `measure`, write to it.
  bool use_cache = true;
  std::string cache = {};  ///< its file; empty: default_profile_cache()
  /// A cost table as JSON (cost/cost_table_json.h) that comes before the cache; empty: none.
  std::string costs = {};
  /// Told of what went wrong with the cache or a measurement, in a sentence each.
  Warn warn = {};
  Progress progress = {};
};

/// The table of costs that the options name; nothing if they name none. Throws Model if it is none.
std::optional<CostTable> load_costs(const ProfileOptions& options,
                                    std::shared_ptr<const CostModel> otherwise);

/// The cache that the options name, to be written to if something is measured; nothing if there is
/// none to use.
std::optional<ProfileCache> open_profile_cache(const ProfileOptions& options);

/// What the operators of a lowered graph cost on a device, and how that is known.
struct Profile {
  CostTable costs;
  DeviceSpec spec;              ///< with figures that were measured, if they were
  std::string conditions = {};  ///< the machine and how was measured on it
  std::size_t signatures = 0;   ///< different operators of the graph, and parts of them
  std::size_t measured = 0;     ///< now
  std::size_t from_cache = 0;   ///< or from a given table
  /// Whether what is modelled goes by figures of this machine that were measured; else they are
  /// assumed.
  bool knows_figures = false;
  /// The rest is modelled: because nothing was to be measured, or for these reasons, "Conv(…):
  /// why".
  std::vector<std::string> failures = {};
  /// Cuts that no Plan may use: their parts gave other bits than the whole, now or on an earlier
  /// day.
  std::vector<RefusedCut> refused = {};
  /// Cuts that are to be taken before those that kernels put first.
  std::vector<FasterCut> faster = {};
};

/// The lowered graph of which the costs are: without cuts that are refused, and with faster ones
/// first.
Graph with_settled_cuts(Graph lowered, const Profile& profile);

/// Looks up every operator signature of the graph, whole and in 2 to `streams` parts where it may
/// be cut, and measures what is missing (device/meter.h says how). Parts that are met for the
/// first time on this machine are compared with the whole before they are measured. Where a node
/// may be cut along several axes, the times of `streams` parts say which comes first. Throws
/// Cancelled if `progress` says so; what was measured until then is in the cache. On a device
/// without a meter nothing is measured: its model is all there is, and a table of costs is refused.
/// The device outlives the profile.
Profile profile(const Graph& lowered, const Device& device, const ProfileOptions& options);

}  // namespace braid
