#include "cli/contest_report.h"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace braid::cli {

nlohmann::ordered_json contest_json(const ContestResult& result) {
  return {{"first_ms", json_number(result.champion_ms)},
          {"second_ms", json_number(result.challenger_ms)},
          {"ratio", json_number(result.ratio.ratio)},
          {"ratio_interval", {json_number(result.ratio.low), json_number(result.ratio.high)}},
          {"ratio_band", {json_number(result.ratio_band.p10), json_number(result.ratio_band.p90)}},
          {"turns", result.turns}};
}

ContestResult contest_from_json(const nlohmann::json& json) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const JsonPlace time(json, "time");
  const auto real = [](const JsonPlace& place) { return place.real(0, kMost); };
  ContestResult result;
  result.champion_ms = real(time["first_ms"]);
  result.challenger_ms = real(time["second_ms"]);
  result.ratio = {.ratio = real(time["ratio"]),
                  .low = real(time["ratio_interval"].at(0)),
                  .high = real(time["ratio_interval"].at(1))};
  result.ratio_band = {.median = result.ratio.ratio,
                       .p10 = real(time["ratio_band"].at(0)),
                       .p90 = real(time["ratio_band"].at(1))};
  result.turns = static_cast<std::size_t>(time["turns"].integer(1, 1 << 30));
  return result;
}

std::string contest_text(const ContestResult& result) {
  return fmt::format("MODEL {:.3f} ms, OTHER {:.3f} ms: OTHER is {}\n", result.champion_ms,
                     result.challenger_ms, in_words(result));
}

}  // namespace braid::cli
