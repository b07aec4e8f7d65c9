#include "sweep.h"

#include "devices/open.h"

namespace braid::autograph_table {

SweepCell sweep_cell(const std::string& model, const Setting& setting) {
  const auto device = open_device(setting.device);
  const auto given = canonical_model(model, *device, setting.batch);
  SweepCell cell{.model = model,
                 .setting = setting,
                 .watched = watch(given, *device, setting.optimise_options())};
  cell.before = simulated(cell.watched.optimised.before, *device);
  cell.after = simulated(cell.watched.optimised.after, *device);
  return cell;
}

nlohmann::ordered_json json_of(const SweepCell& cell) {
  return {{"model", cell.model},
          {"device", cell.setting.device},
          {"batch", cell.setting.batch},
          {"times", {{"before", json_of(cell.before)}, {"after", json_of(cell.after)}}},
          {"optimised", json_of(cell.watched)}};
}

}  // namespace braid::autograph_table
