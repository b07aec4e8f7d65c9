#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/samples.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "report/chart.h"

namespace braid {

/// One scheduler's Plan of a model, timed and drawn.
struct ReportRun {
  std::string scheduler;   ///< as it was asked for
  bool optimised = false;  ///< of the rewritten graph (ReportModel::rewriting)
  Plan plan;
  std::string kept = {};  ///< why this Plan, if another was tried as well
  Chart chart;
  /// Times of single inferences; simulated: of the draws.
  std::vector<double> times_us = {};
  /// This one's time over that of the model's reference: above 1 the reference is faster.
  RatioInterval ratio = {};
  /// "slower" or "faster" than the reference, "tie", "unclear" after too few runs, or "reference".
  std::string_view verdict = {};
};

/// A figure of a graph and of what it became.
struct ReportChange {
  double before = 0;
  double after = 0;
};

/// What a search made of a model's graph.
struct ReportRewriting {
  Graph lowered;  ///< empty if no rule was used: it is as the model has it
  std::vector<std::pair<std::string, std::int64_t>> rules = {};  ///< how often each was used
  std::string reason = {};  ///< why this graph was kept, or, without rules, why none was
  ReportChange critical_path_us = {};
  ReportChange sum_us = {};
  ReportChange width = {};  ///< operators side by side at most
};

struct ReportModel {
  std::string name;
  Graph lowered;  ///< as the model has it
  std::vector<ReportRun> runs;
  std::size_t reference = 0;  ///< the run with which the others are compared
  /// How far the time axis of pictures reaches at least, so that those of two graphs compare.
  double least_axis_us = 0;
  std::optional<ReportRewriting> rewriting = {};

  const Graph& graph_of(const ReportRun& run) const {
    return run.optimised ? rewriting->lowered : lowered;
  }
  /// What a run is called: its scheduler, and of which graph it is if there are two.
  std::string label(const ReportRun& run) const;
};

/// All that a report shows.
struct Report {
  std::string version;  ///< of Braid
  std::string command;  ///< that made it
  std::string device;
  std::string hardware;
  int threads = 0;
  std::uint64_t seed = 0;
  bool simulated = false;
  std::vector<ReportModel> models;
};

/// The time by which runs are compared, and the band around it: measured, the 20th percentile with
/// the 10th and the 50th; simulated, the median with the 10th and the 90th.
struct ReportTime {
  double time_us = 0;
  double low_us = 0;
  double high_us = 0;
};
ReportTime time_of(const ReportRun& run, bool simulated);

/// The JSON form (docs/formats.md), on one line and in ASCII.
std::string to_json(const Report& report);

}  // namespace braid
