#include <fmt/format.h>

#include "print.h"

namespace braid::gpu_model {
namespace {

nlohmann::ordered_json json_of(const Band& band) {
  return {{"median", band.median}, {"p10", band.p10}, {"p90", band.p90}};
}

nlohmann::ordered_json json_of(const Widths& widths) {
  return {{"rows", widths.rows}, {"median", widths.median}, {"most", widths.most}};
}

}  // namespace

nlohmann::ordered_json json_of(const SimulatedRow& row) {
  const PublishedRow& what = row.row;
  nlohmann::ordered_json json = {{"id", what.id},
                                 {"paper", what.paper},
                                 {"where", what.where},
                                 {"network", what.network},
                                 {"batch", what.batch},
                                 {"gpu", what.gpu},
                                 {"setup", what.setup},
                                 {"schedule", what.schedule},
                                 {"quantity", what.is_ratio() ? "ratio" : "ms"},
                                 {"used_for", what.used_for},
                                 {"published", what.published}};
  if (what.is_ratio()) json["over"] = what.over;
  for (const bench::OtherValue& other : what.others)
    json["others"].push_back({{"value", other.value}, {"where", other.where}});
  if (!row.skipped.empty()) {
    json["skipped"] = row.skipped;
    return json;
  }
  json["simulated"] = row.nominal;
  json["band"] = json_of(row.band);
  json["error"] = row.error();
  json["inside_band"] = row.inside_band();
  return json;
}

nlohmann::ordered_json json_of(const Summary& summary) {
  nlohmann::ordered_json json = {{"skipped", summary.skipped},
                                 {"errors", nlohmann::ordered_json::array()},
                                 {"width_of_times", json_of(summary.times)},
                                 {"width_of_ratios", json_of(summary.ratios)},
                                 {"opara_first", nlohmann::ordered_json::array()},
                                 {"outside", nlohmann::ordered_json::array()}};
  for (const ErrorGroup& group : summary.errors)
    json["errors"].push_back({{"rows_of", group.name},
                              {"rows", group.rows},
                              {"mean_absolute", group.mean_error},
                              {"worst", group.worst_error},
                              {"inside_band", group.inside_band}});
  for (const FirstCase& one : summary.first)
    json["opara_first"].push_back({{"case", one.name},
                                   {"opara", one.opara},
                                   {"best_other", one.best_other},
                                   {"other", one.other},
                                   {"is_first", one.is_first}});
  for (const OutsideCount& count : summary.outside)
    json["outside"].push_back({{"reason", count.reason}, {"values", count.values}});
  return json;
}

}  // namespace braid::gpu_model
