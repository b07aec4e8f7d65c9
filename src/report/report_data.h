#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/samples.h"
#include "graph/graph.h"
#include "plan/plan.h"
#include "report/chart.h"

namespace braid {

/// One scheduler's Plan of a model, timed and drawn.
struct ReportRun {
  std::string scheduler;  ///< as it was asked for
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

struct ReportModel {
  std::string name;
  Graph lowered;
  std::vector<ReportRun> runs;
  std::size_t reference = 0;  ///< the run with which the others are compared
  /// How far the time axis of pictures reaches at least, so that those of two graphs compare.
  double least_axis_us = 0;
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
