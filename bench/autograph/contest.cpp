#include "contest.h"

#include <algorithm>
#include <cmath>

#include "devices/open.h"
#include "onnx/load.h"
#include "schedule/schedulers.h"
#include "shared/captured.h"
#include "zoo/zoo.h"

namespace braid::autograph_table {
namespace {

/// A scheduler's own Plan, with nothing put in its place.
SimulatedTime scheduled(std::string_view scheduler, const Planned& of, const Device& device) {
  const Plan plan = schedule(scheduler, of.lowered(), of.profile().costs, device.spec(), {});
  return *device.compile(of.lowered(), plan)->simulate();
}

/// By models that neither the searches nor what is reported have to do with.
double unseen_us(const Planned& planned, const Device& device) {
  const auto judge = device.judge(planned.lowered(), planned.profile().costs, device.spec());
  double sum = 0;
  for (const double time : judge->unseen_us(planned.plan)) sum += std::log(time);
  return sum;
}

/// The best schedule of the canonical graph: what the optimisation began with, or what as much time
/// as it had finds if all of it goes into scheduling.
SimulatedTime best_schedule(const Planned& before, const Device& device, const Setting& setting) {
  PipelineOptions options = stage_options();
  options.plan.thorough = true;
  options.plan.search_seconds = setting.seconds;
  options.plan.start = before.plan;
  const Planned longer = planned(before.costed, device, options);
  return simulated(unseen_us(longer, device) < unseen_us(before, device) ? longer : before, device);
}

}  // namespace

const std::vector<Network>& networks() {
  static const std::vector<Network> table = {
      {"inception-v3", "Inception-v3"},
      {"resnet-50", "ResNet-50"},
      {"resnext-50", "ResNeXt-50"},
      {"nasnet-a-large", "NASNet-A large"},
      {"nasnet-a-mobile", "NASNet-A mobile"},
      {"rnntc-sru", "RNNTC-SRU"},
      {"bert-base", "BERT"},
  };
  return table;
}

std::string title_of(const std::string& model) {
  const auto found = std::ranges::find(networks(), model, &Network::name);
  return found == networks().end() ? model : found->title;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> table = {
      {"sequential", "sequential"},
      {"taso+sequential", "TASO + sequential"},
      {"ios", "IOS"},
      {"nimble", "Nimble"},
      {"taso+nimble", "TASO + Nimble"},
      {"taso+braid", "TASO + `braid`"},
      {"braid", "`braid`"},
      {"ours", "ours"},
      {"exported-eager+nimble", "Nimble as exported, `+eager`"},
      {"exported-framework+nimble", "Nimble as exported, `+framework`"},
      {"exported+nimble", "Nimble as exported, our kernels"},
  };
  return table;
}

OptimiseOptions Setting::optimise_options() const {
  OptimiseOptions options;
  options.seconds = seconds;
  options.seed = seed;
  return options;
}

std::shared_ptr<const Canonical> canonical_model(const std::string& model, const Device& device,
                                                 std::int64_t batch) {
  onnx::LoadOptions load;
  load.batch = batch;
  Graph graph =
      model.ends_with(".onnx") ? onnx::load(model, load) : zoo::build(model, {.batch = batch});
  return std::make_shared<const Canonical>(canonical(std::move(graph), device, stage_options()));
}

SimulatedTime simulated(const Planned& planned, const Device& device) {
  return *device.compile(planned.lowered(), planned.plan)->simulate();
}

Contest contest(const std::string& model, const Setting& setting) {
  const auto device = open_device(setting.device);
  const auto given = canonical_model(model, *device, setting.batch);
  Contest result{.model = model, .device = setting.device, .batch = setting.batch};

  OptimiseOptions by_sum = setting.optimise_options();
  by_sum.cost = RewriteCost::Sum;
  by_sum.verify = false;
  result.taso = watch(given, *device, by_sum);
  result.ours = watch(given, *device, setting.optimise_options());

  const Planned& before = result.ours.optimised.before;
  const Planned& summed = result.taso.optimised.after;
  const auto exported = [&](const std::string& words) {
    return bench::capture(setting.device + words, model, setting.batch).time("nimble");
  };
  result.entries = {
      {"sequential", scheduled("sequential", before, *device)},
      {"taso+sequential", scheduled("sequential", summed, *device)},
      {"ios", scheduled("ios", before, *device)},
      {"nimble", scheduled("nimble", before, *device)},
      {"taso+nimble", scheduled("nimble", summed, *device)},
      {"taso+braid", simulated(summed, *device)},
      {"braid", best_schedule(before, *device, setting)},
      {"before", simulated(before, *device)},
      {"ours", simulated(result.ours.optimised.after, *device)},
      {"exported-eager+nimble", exported("+eager")},
      {"exported-framework+nimble", exported("+framework")},
      {"exported+nimble", exported("")},
  };
  return result;
}

nlohmann::ordered_json json_of(const SimulatedTime& time) {
  const Band band = time.band_us();
  nlohmann::ordered_json json = {{"nominal_ms", time.nominal_us / 1e3},
                                 {"median_ms", band.median / 1e3},
                                 {"p10_ms", band.p10 / 1e3},
                                 {"p90_ms", band.p90 / 1e3},
                                 {"draws_us", time.draws_us}};
  return json;
}

nlohmann::ordered_json json_of(const Contest& contest) {
  nlohmann::ordered_json json = {
      {"model", contest.model},        {"device", contest.device},
      {"batch", contest.batch},        {"times", nlohmann::ordered_json::object()},
      {"ours", json_of(contest.ours)}, {"taso", json_of(contest.taso)}};
  for (const Entry& entry : contest.entries) json["times"][entry.key] = json_of(entry.time);
  return json;
}

}  // namespace braid::autograph_table
