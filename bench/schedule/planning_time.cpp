// How much processor time every scheduler takes to plan the models of the zoo, and what the lane
// simulator thinks of its Plans. Prints JSON:
//
//     build/release/bench/bench_schedule [STREAMS [MODEL…]]
//
// Costs are modelled, with every operator alone filling one of STREAMS (4) streams.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cost/graph_cost.h"
#include "cost/roofline.h"
#include "device/device.h"
#include "plan/verify.h"
#include "rewrite/canonicalise.h"
#include "schedule/schedulers.h"
#include "zoo/zoo.h"

namespace {

using namespace braid;

/// Of this process: other programs on the machine do not count.
double processor_ms() { return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Round figures of a server's cores.
DeviceSpec device_of(int streams) {
  return {.name = "cpu",
          .streams = streams,
          .flops_per_us = 80'000,
          .bytes_per_us = 20'000,
          .bytes_per_us_stream = 10'000,
          .launch_us = 0.5,
          .wait_us = 0.5};
}

nlohmann::ordered_json row(const std::string& model, const Graph& graph, const DeviceSpec& device,
                           const Scheduler& scheduler) {
  const RooflineCostModel costs(device);
  Plan plan;
  double planning_ms = 0;  // the least of a few
  double all_ms = 0;
  for (int round = 0; round < 5 && (round == 0 || all_ms < 1000); ++round) {
    const double start = processor_ms();
    plan = scheduler.run(graph, costs, device, {});
    const double taken_ms = processor_ms() - start;
    all_ms += taken_ms;
    planning_ms = round == 0 ? taken_ms : std::min(planning_ms, taken_ms);
  }
  verify(graph, plan);
  std::size_t waits = 0;
  for (const auto& stream : plan.streams)
    for (const Step& step : stream) waits += step.waits.size();
  return {{"model", model},
          {"scheduler", scheduler.name},
          {"nodes", graph.node_count()},
          {"planning_ms", planning_ms},
          {"streams", plan.streams.size()},
          {"waits", waits},
          {"arena_bytes", plan.arena_bytes},
          {"modelled_us", simulate(graph, costs, device, plan).end_us},
          {"lower_bound_us", lower_bounds(graph, costs, device.streams).time_us()}};
}

}  // namespace

int main(int argc, char** argv) {
  const DeviceSpec device = device_of(argc > 1 ? std::atoi(argv[1]) : 4);
  std::vector<std::string> models(argv + std::min(argc, 2), argv + argc);
  if (models.empty())
    for (const zoo::ZooModel& model : zoo::models()) models.emplace_back(model.name);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::string& model : models) {
    const auto cpu = open_device("cpu");
    const Graph graph = cpu->lower(canonicalise(zoo::build(model)).graph, cpu->modelled_costs());
    for (const Scheduler& scheduler : schedulers())
      rows.push_back(row(model, graph, device, scheduler));
  }
  std::printf("%s\n", rows.dump(1).c_str());
}
