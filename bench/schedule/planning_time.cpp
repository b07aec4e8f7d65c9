// How much processor time every scheduler takes to plan the models of the zoo, given what operators
// cost, and what the simulator thinks of its Plans. Prints JSON:
//
//     build/release/bench/bench_schedule [DEVICE [MODEL…]]
//
// DEVICE is a number of CPU cores (2), whose costs are modelled, or a simulated GPU ("sim:a100").
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cost/graph_cost.h"
#include "cost/node_costs.h"
#include "device/device.h"
#include "devices/open.h"
#include "pipeline/stages.h"
#include "plan/verify.h"
#include "schedule/schedulers.h"
#include "zoo/zoo.h"

namespace {

using namespace braid;

/// Processor time of this process: other programs on the machine do not count.
double processor_ms() { return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Made {
  Plan plan;
  double planning_ms = 0;  ///< the least of a few
};

Made make(const Scheduler& scheduler, const Graph& graph, const Device& device) {
  const auto judge = device.judge(graph, device.modelled_costs(), device.spec());
  ScheduleOptions options;
  options.evaluate = [&](const Plan& plan, double give_up_us) {
    return judge->time_us(plan, give_up_us);
  };
  options.ways = device.ways(graph);
  const NodeCosts costs(graph, device.modelled_costs());
  Made made;
  double all_ms = 0;
  for (int round = 0; round < 5 && (round == 0 || all_ms < 1000); ++round) {
    const double start = processor_ms();
    made.plan = scheduler.run(graph, costs, device.spec(), options);
    const double taken_ms = processor_ms() - start;
    all_ms += taken_ms;
    made.planning_ms = round == 0 ? taken_ms : std::min(made.planning_ms, taken_ms);
  }
  verify(graph, made.plan);
  return made;
}

nlohmann::ordered_json row(const std::string& model, const Graph& graph, const Device& device,
                           const Scheduler& scheduler) {
  const auto [plan, planning_ms] = make(scheduler, graph, device);
  const CostModel& costs = device.modelled_costs();
  std::size_t waits = 0;
  for (const auto& stream : plan.streams)
    for (const Step& step : stream) waits += step.waits.size();
  nlohmann::ordered_json json = {
      {"model", model},
      {"scheduler", scheduler.name},
      {"nodes", graph.node_count()},
      {"planning_ms", planning_ms},
      {"streams", plan.streams.size()},
      {"waits", waits},
      {"arena_bytes", plan.arena_bytes},
      {"critical_path_us", critical_path(graph, costs).time_us},
      {"modelled_us", simulate_lanes(graph, costs, device.spec(), plan).end_us}};
  if (!device.spec().name.starts_with("sim:")) return json;
  const Band band = device.compile(graph, plan)->simulate()->band_us();
  json["simulated_us"] = {{"p10", band.p10}, {"median", band.median}, {"p90", band.p90}};
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string where = argc > 1 ? argv[1] : "2";
  const bool simulated = where.starts_with("sim:");
  const auto device =
      simulated ? open_device(where) : open_device("cpu", {.threads = std::atoi(where.c_str())});
  std::vector<std::string> models(argv + std::min(argc, 2), argv + argc);
  if (models.empty())
    for (const zoo::ZooModel& model : zoo::models()) models.emplace_back(model.name);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::string& model : models) {
    const Graph graph = lowered(canonical(zoo::build(model), *device, {}), *device, {}).graph;
    for (const Scheduler& scheduler : schedulers())
      rows.push_back(row(model, graph, *device, scheduler));
  }
  std::printf("%s\n", rows.dump(1).c_str());
}
