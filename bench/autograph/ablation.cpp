#include "ablation.h"

#include <functional>

#include "devices/open.h"

namespace braid::autograph_table {
namespace {

struct Variant {
  std::string title;
  std::function<void(OptimiseOptions&)> change;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> table = {
      {"full", [](OptimiseOptions&) {}},
      {"the cost decides", [](OptimiseOptions& how) { how.verify = false; }},
      {"the cost decides, without parts",
       [](OptimiseOptions& how) { how.verify = how.use_partition = false; }},
      {"critical path alone as cost",
       [](OptimiseOptions& how) { how.cost = RewriteCost::CriticalPath; }},
      {"sum alone as cost", [](OptimiseOptions& how) { how.cost = RewriteCost::Sum; }},
  };
  return table;
}

}  // namespace

std::vector<Ablation> ablations(const std::string& model, const Setting& setting) {
  const auto device = open_device(setting.device);
  const auto given = canonical_model(model, *device, setting.batch);
  std::vector<Ablation> rows;
  for (const Variant& variant : variants()) {
    OptimiseOptions how = setting.optimise_options();
    variant.change(how);
    Ablation row{.title = variant.title, .watched = watch(given, *device, how)};
    row.before = simulated(row.watched.optimised.before, *device);
    row.after = simulated(row.watched.optimised.after, *device);
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::ordered_json json_of(const std::string& model, const Setting& setting,
                               const std::vector<Ablation>& ablations) {
  nlohmann::ordered_json json = {{"model", model},
                                 {"device", setting.device},
                                 {"batch", setting.batch},
                                 {"seconds", setting.seconds},
                                 {"rows", nlohmann::ordered_json::array()}};
  for (const Ablation& row : ablations)
    json["rows"].push_back(
        {{"title", row.title},
         {"times", {{"before", json_of(row.before)}, {"after", json_of(row.after)}}},
         {"optimised", json_of(row.watched)}});
  return json;
}

}  // namespace braid::autograph_table
