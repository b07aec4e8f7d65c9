// How long every scheduler takes to plan the models of the zoo, and what the lane simulator thinks
// of its Plans. Prints JSON:
//
//     build/release/bench/bench_schedule [STREAMS [MODEL…]]
//
// Costs are modelled, with every operator alone filling one of STREAMS (4) streams.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cost/graph_cost.h"
#include "cost/roofline.h"
#include "plan/verify.h"
#include "rewrite/canonicalise.h"
#include "schedule/schedulers.h"
#include "zoo/zoo.h"

namespace {

using namespace braid;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

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
  const auto start = std::chrono::steady_clock::now();
  const Plan plan = scheduler.run(graph, costs, device, {});
  const double planning_ms = milliseconds_since(start);
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
    const Graph graph = canonicalise(zoo::build(model)).graph;
    for (const Scheduler& scheduler : schedulers())
      rows.push_back(row(model, graph, device, scheduler));
  }
  std::printf("%s\n", rows.dump(1).c_str());
}
