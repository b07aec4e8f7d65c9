#include "cli/prediction_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/table.h"

namespace braid::cli {
namespace {

std::string count(std::size_t number) { return grouped(static_cast<long long>(number)); }

/// "all 40 operators and parts were measured".
std::string known_text(const Profile& profile) {
  const std::size_t known = profile.measured + profile.from_cache;
  if (known == profile.signatures)
    return fmt::format("measured: from the times of its {} operators and parts on this machine",
                       count(known));
  if (known == 0)
    return fmt::format(
        "modelled: none of its {} operators and parts was measured on this machine; `braid "
        "profile` measures them",
        count(profile.signatures));
  return fmt::format(
      "measured and modelled: {} of its {} operators and parts were measured on this machine; "
      "`braid profile` measures the rest",
      count(known), count(profile.signatures));
}

}  // namespace

std::string origin_of_times(const Planned& planned, const Prediction& prediction) {
  if (prediction.simulated) return "simulated";
  const Profile& profile = planned.profile();
  const std::size_t known = profile.measured + profile.from_cache;
  if (known == profile.signatures) return "measured";
  return known == 0 ? "modelled" : "measured and modelled";
}

std::string prediction_text(const Planned& planned, const Prediction& prediction) {
  const double ms = prediction.timeline.end_us / 1e3;
  if (!prediction.simulated) return fmt::format("{:.3f} ms, {}", ms, known_text(planned.profile()));
  if (prediction.simulated->draws_us.empty())
    return fmt::format("{:.3f} ms nominal, simulated", ms);
  const Band band = prediction.simulated->band_us();
  return fmt::format(
      "{:.3f} ms nominal; median {:.3f} [{:.3f}, {:.3f}] of {} draws; simulated, no GPU has run it",
      ms, band.median / 1e3, band.p10 / 1e3, band.p90 / 1e3, prediction.simulated->draws_us.size());
}

void add_prediction(nlohmann::ordered_json& out, const Planned& planned,
                    const Prediction& prediction) {
  out["predicted_us"] = prediction.timeline.end_us;
  out["predicted_from"] = origin_of_times(planned, prediction);
  if (!prediction.simulated || prediction.simulated->draws_us.empty()) return;
  const Band band = prediction.simulated->band_us();
  out["band_us"] = {{"p10", band.p10}, {"median", band.median}, {"p90", band.p90}};
}

}  // namespace braid::cli
