#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cost/simulated_time.h"

namespace braid::autograph_table {

/// A time of a contest, by the key of its column; nothing if it has none.
std::optional<SimulatedTime> time_in(const nlohmann::ordered_json& times, const std::string& key);

/// The time under `over` divided by that under `of`, draw by draw.
struct Ratio {
  Band band;
  std::string verdict;  ///< of what is timed under `of`, compared with `over`
};
std::optional<Ratio> ratio_in(const nlohmann::ordered_json& times, const std::string& over,
                              const std::string& of);

/// 1 of no numbers.
double geometric_mean(const std::vector<double>& numbers);

/// "1.23 [1.11, 1.34]"
std::string text_of(const Band& band);
/// The number with so many digits behind the point; a dash if there is none.
std::string or_dash(std::optional<double> number, int digits);

}  // namespace braid::autograph_table
