#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/samples.h"
#include "cost/simulated_time.h"

namespace braid::cli {

/// What was measured of one scheduler on one model.
struct BenchRow {
  std::string model;
  std::string scheduler;
  std::vector<double> times_ms;  ///< of single inferences; simulated: of the ensemble's draws
  std::optional<double> nominal_ms = {};  ///< simulated: of the unperturbed model
  std::int64_t arena_bytes = 0;
  std::int64_t streams = 0;
  RatioInterval ratio;  ///< the model's first row ÷ this one: above 1 this one is faster
  std::optional<double> inferences_per_s;  ///< of all callers together
  std::optional<Verdict> verdict;          ///< simulated: against the model's first row
};

/// How the rows were measured.
struct BenchSetting {
  std::string device;
  int threads = 0;
  int concurrency = 1;
  std::int64_t batch = 0;
  std::uint64_t seed = 0;
  bool simulated = false;
  bool stopped = false;  ///< by the user, before all was measured
};

std::string bench_json(const std::vector<BenchRow>& rows, const BenchSetting& setting);
std::string bench_table(const std::vector<BenchRow>& rows, const BenchSetting& setting);

}  // namespace braid::cli
