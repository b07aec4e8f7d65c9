#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cost/simulated_time.h"
#include "shared/captured.h"
#include "shared/published.h"
#include "stages.h"

namespace braid::gpu_model {

using bench::PublishedRow;

/// What the model says of a published figure.
struct SimulatedRow {
  PublishedRow row;
  std::string skipped;  ///< why nothing was simulated; empty: something was
  double nominal = 0;   ///< milliseconds, or the ratio
  Band band;            ///< the same
  double error() const { return nominal / row.published - 1; }
  bool inside_band() const { return band.p10 <= row.published && row.published <= band.p90; }
};

/// Simulates rows, each in its set-up; what was simulated once is kept.
class Simulations {
 public:
  /// Schedule files of IOS by the names that rows have for them.
  explicit Simulations(std::map<std::string, std::string> ios_files)
      : ios_files_(std::move(ios_files)) {}

  SimulatedRow simulate(const PublishedRow& row);
  /// The time of the row's schedule, or of another in its place.
  SimulatedTime time(const PublishedRow& row, const std::string& schedule);
  /// Why the row cannot be simulated; empty: it can.
  std::string why_not(const PublishedRow& row) const;

 private:
  SimulatedTime ios_time(const PublishedRow& row, const std::string& schedule);
  SimulatedTime captured_time(const PublishedRow& row, const std::string& schedule);

  std::map<std::string, std::string> ios_files_;
  std::map<std::string, SimulatedTime> times_;
  std::string last_;  // the network that is kept, of one of these
  std::optional<bench::Captured> captured_;
  std::optional<Units> units_;
};

}  // namespace braid::gpu_model
