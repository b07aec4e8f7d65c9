#include "figures.h"

#include <cmath>

#include <fmt/format.h>

namespace braid::autograph_table {

std::optional<SimulatedTime> time_in(const nlohmann::ordered_json& times, const std::string& key) {
  if (!times.contains(key)) return std::nullopt;
  return SimulatedTime{times[key]["nominal_ms"].get<double>() * 1e3,
                       times[key]["draws_us"].get<std::vector<double>>()};
}

std::optional<Ratio> ratio_in(const nlohmann::ordered_json& times, const std::string& over,
                              const std::string& of) {
  const auto above = time_in(times, over);
  const auto below = time_in(times, of);
  if (!above || !below) return std::nullopt;
  return Ratio{ratio_band(*above, *below), std::string(name(compare(*below, *above)))};
}

double geometric_mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += std::log(number);
  return numbers.empty() ? 1 : std::exp(sum / static_cast<double>(numbers.size()));
}

std::string text_of(const Band& band) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", band.median, band.p10, band.p90);
}

std::string or_dash(std::optional<double> number, int digits) {
  return number ? fmt::format("{:.{}f}", *number, digits) : "–";
}

}  // namespace braid::autograph_table
