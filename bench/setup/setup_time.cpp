// Processor time from a canonical graph to the first answers of everyone who is asked before a Plan
// can be searched for, in the order in which a command asks; then once more, for a device that has
// seen the model. Prints JSON:
//
//     build/release/bench/bench_setup [DEVICE [MODEL…]]
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cost/node_costs.h"
#include "device/device.h"
#include "devices/open.h"
#include "pipeline/stages.h"
#include "schedule/schedulers.h"
#include "zoo/zoo.h"

namespace {

using namespace braid;

/// Processor time of this process: other programs on the machine do not count.
double processor_ms() { return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

nlohmann::ordered_json setup_ms(const Graph& canonical, const Device& device) {
  nlohmann::ordered_json json;
  const auto timed = [&](const char* what, const auto& run) {
    const double start = processor_ms();
    auto result = run();
    json[what] = processor_ms() - start;
    return result;
  };
  const CostModel& modelled = device.modelled_costs();
  const Graph graph = timed("lower", [&] { return device.lower(canonical, modelled); });
  const auto costs = timed("costs", [&] { return std::make_unique<NodeCosts>(graph, modelled); });
  timed("ways", [&] { return device.ways(graph); });
  const Plan plan = scheduler_named("sequential").run(graph, *costs, device.spec(), {});
  const auto judge = device.judge(graph, modelled, device.spec());
  timed("judge", [&] { return judge->time_us(plan, 0); });
  timed("unseen", [&] { return judge->unseen_us(plan); });
  timed("bounds", [&] { return judge->bounds(); });
  timed("compile", [&] { return device.compile(graph, plan); });
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  const auto device = open_device(argc > 1 ? argv[1] : "sim:a100");
  std::vector<std::string> models(argv + std::min(argc, 2), argv + argc);
  if (models.empty()) models = {"inception-v3", "nasnet-a-large"};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const std::string& model : models) {
    const Graph graph = canonical(zoo::build(model), *device, {}).graph;
    for (const char* round : {"first", "again"})
      rows.push_back({{"model", model}, {"round", round}, {"ms", setup_ms(graph, *device)}});
  }
  std::printf("%s\n", rows.dump(1).c_str());
}
