#include "cli/prediction_report.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/table.h"

namespace braid::cli {
namespace {

std::string count(std::size_t number) { return grouped(static_cast<long long>(number)); }

/// How far the time may be from the prediction, by what of the model was only modelled.
struct ModelledBand {
  ModelledShare share;
  double low_us = 0;
  double high_us = 0;
};

/// Nothing if all was measured, or if times are simulated.
std::optional<ModelledBand> modelled_band(const Planned& planned, const Prediction& prediction) {
  if (prediction.simulated) return std::nullopt;
  const ModelledShare share = planned.profile().costs.modelled_share(planned.lowered());
  if (!(share.modelled_us > 0)) return std::nullopt;
  const double per_us = prediction.timeline.end_us / share.total_us();
  return ModelledBand{share, per_us * (share.measured_us + share.low_us),
                      per_us * (share.measured_us + share.high_us)};
}

/// "; scaled by 2.31, …".
std::string scale_text(const Planned& planned, const Prediction& prediction) {
  const std::optional<ModelledBand> band = modelled_band(planned, prediction);
  if (!band) return "";
  const ModelledShare& share = band->share;
  const char* figures = planned.profile().knows_figures ? "measured figures of this machine"
                                                        : "assumed figures, none of this machine";
  if (share.own + share.borrowed == 0)
    return fmt::format("; by {}, and no operator says how far they are off", figures);
  return fmt::format(
      "; by {}, scaled by {:.2f} as measured operators were off, {} of this model and {} of "
      "others: {:.3f} to {:.3f} ms if all are off as the 10th to 90th percentile of those",
      figures, share.factor(), count(share.own), count(share.borrowed), band->low_us / 1e3,
      band->high_us / 1e3);
}

/// "measured: from the times of its 40 operators and parts on this machine".
std::string known_text(const Profile& profile) {
  const std::size_t known = profile.measured + profile.from_cache;
  if (known == profile.signatures)
    return fmt::format("measured: from the times of its {} operators and parts on this machine",
                       count(known));
  if (known == 0)
    return fmt::format("modelled: none of its {} operators and parts was measured on this machine",
                       count(profile.signatures));
  return fmt::format(
      "measured and modelled: {} of its {} operators and parts were measured on this machine",
      count(known), count(profile.signatures));
}

/// What makes a prediction surer; empty if nothing does.
std::string_view hint_of(const Profile& profile) {
  const std::size_t known = profile.measured + profile.from_cache;
  if (known == profile.signatures) return "";
  return known == 0 ? "; `braid profile` measures them" : "; `braid profile` measures the rest";
}

nlohmann::ordered_json modelled_json(const Planned& planned, const Prediction& prediction) {
  const std::optional<ModelledBand> band = modelled_band(planned, prediction);
  if (!band) return nullptr;
  const ModelledShare& share = band->share;
  nlohmann::ordered_json out = {
      {"share", share.scaled_us / share.total_us()},
      {"figures", planned.profile().knows_figures ? "measured" : "assumed"},
      {"scale", share.factor()},
      {"own_operators", share.own},
      {"borrowed_operators", share.borrowed},
      {"band_us", nullptr}};
  if (share.own + share.borrowed > 0)
    out["band_us"] = {{"p10", band->low_us}, {"p90", band->high_us}};
  return out;
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
  if (!prediction.simulated)
    return fmt::format("{:.3f} ms, {}{}{}", ms, known_text(planned.profile()),
                       scale_text(planned, prediction), hint_of(planned.profile()));
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
  if (!prediction.simulated) out["modelled"] = modelled_json(planned, prediction);
  if (!prediction.simulated || prediction.simulated->draws_us.empty()) return;
  const Band band = prediction.simulated->band_us();
  out["band_us"] = {{"p10", band.p10}, {"median", band.median}, {"p90", band.p90}};
}

}  // namespace braid::cli
