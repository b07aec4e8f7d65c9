#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost/simulated_time.h"
#include "optimise/search.h"
#include "pipeline/contest_of_graphs.h"
#include "pipeline/optimise_options.h"
#include "pipeline/stages.h"

/// The stage *optimised*, between Canonical and Lowered: the graph is rewritten by rules that are
/// not always worth it (rewrite/rules/), and what the search found is verified on the device with
/// the Plan it gets. The result is never slower than what was given, or it is what was given.

namespace braid {

enum class OptimiseStop { Budget, Candidates, Converged, Cancelled, NoGain };
/// "budget", "candidates", "converged", "cancelled", "no-gain".
std::string_view name(OptimiseStop stop);

/// A figure of the graph that was given and of what became of it.
struct BeforeAfter {
  double before = 0;
  double after = 0;
};

struct OptimiseReport {
  BeforeAfter time_ms;  ///< of the Plans: simulated medians, 20th percentiles, or as predicted
  double ratio = 1;     ///< before ÷ after; exactly 1 if the input came back
  Band ratio_band;      ///< over draws, or over runs
  bool simulated = false;
  bool measured = false;  ///< `time_ms` comes from a contest on the device
  std::int64_t candidates = 0;
  double seconds = 0;
  OptimiseStop stopped = OptimiseStop::NoGain;
  std::string reason;  ///< in a sentence: why this graph was kept, or why the input came back
  std::vector<RuleCount> rules;
  BeforeAfter predicted_us;      ///< of the Plans, by the model that the bounds are of
  BeforeAfter critical_path_us;  ///< Bounds::critical_path_us
  BeforeAfter sum_us;            ///< all operators one after another, none cut
  BeforeAfter width;             ///< operators side by side at most
  std::vector<GainPoint> gains;
};

struct Optimised {
  /// The graph to go on with. Its constants are made. Canonical::original is the model's.
  std::shared_ptr<const Canonical> model;
  std::vector<Round> rounds;  ///< how it came about; none if the input came back
  /// Whether every rule used holds whatever the size of the batch and of the pixels.
  bool for_any_size = true;
  Planned before;
  Planned after;  ///< of `model`
  OptimiseReport report;
};

/// Optimises a canonical graph for a device. Ctrl-C (a `progress` that says no) ends the search and
/// gives the best so far, stopped by Cancelled; only while the Plan of what was given is not there
/// yet does it throw. Throws Model or Quota if `options.start` cannot be replayed.
Optimised optimised(std::shared_ptr<const Canonical> model, const Device& device,
                    const PipelineOptions& options, const OptimiseOptions& how);

/// Takes the graph that was given in the place of what was found, for this reason.
void give_back_input(Optimised& result, std::string why);
/// Reports the times of this contest, which the rewritten graph won.
void report_times(OptimiseReport& report, const ContestResult& contest);

}  // namespace braid
