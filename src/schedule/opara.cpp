#include "schedule/opara.h"

#include <array>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "schedule/arrangement.h"
#include "schedule/schedulers.h"
#include "schedule/task_rows.h"

namespace braid {
namespace {

constexpr std::size_t kArithmetic = 0;
constexpr std::size_t kMemory = 1;

/// On a GPU a view costs nothing and keeps apart the streams that meet in it; on lanes it would
/// hold up what waits for it. Nimble's streams are for tasks without views.
Views views_of(const DeviceSpec& device, std::string_view variant) {
  const bool as_tasks = device.launches && variant != kOrderOnly;
  return variant == kPublished || as_tasks ? Views::AsTasks : Views::Contracted;
}

}  // namespace

std::vector<Task> opara_order(const TaskGraph& tasks, const std::vector<Demand>& demands,
                              bool published, const std::vector<bool>& has_kernel) {
  // Tasks without a kernel come last; among others the least demand is first, then the earliest.
  using Rank = std::tuple<bool, double, double, std::size_t, Task>;
  std::array<std::set<Rank>, 2> ready;
  std::size_t arrived = 0;
  const auto arrive = [&](Task task) {
    const auto i = static_cast<std::size_t>(task);
    const double bandwidth = published ? 0 : demands[i].bandwidth_share;
    ready[demands[i].memory_bound ? kMemory : kArithmetic].insert(
        {!has_kernel[i], demands[i].fills, bandwidth, arrived++, task});
  };
  std::vector<std::size_t> missing(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    missing[i] = tasks.before[i].size();
    if (missing[i] == 0) arrive(static_cast<Task>(i));
  }

  std::vector<Task> order;
  std::size_t turn = kMemory;  // so that arithmetic is served first
  while (!ready[kArithmetic].empty() || !ready[kMemory].empty()) {
    turn = 1 - turn;
    const std::size_t served = ready[turn].empty() ? 1 - turn : turn;
    if (!published) turn = served;
    const Task task = std::get<Task>(*ready[served].begin());
    ready[served].erase(ready[served].begin());
    order.push_back(task);
    for (Task next : tasks.after[static_cast<std::size_t>(task)])
      if (--missing[static_cast<std::size_t>(next)] == 0) arrive(next);
  }
  return order;
}

std::vector<std::vector<Task>> opara_streams(const TaskGraph& tasks,
                                             const std::vector<Task>& order) {
  std::vector<std::vector<Task>> rows;
  std::vector<std::size_t> row_of(tasks.size());
  std::vector<bool> taken(tasks.size(), false);
  for (Task task : order) {
    const auto i = static_cast<std::size_t>(task);
    std::size_t row = rows.size();
    for (Task before : tasks.before[i]) {
      const auto j = static_cast<std::size_t>(before);
      if (taken[j]) continue;
      taken[j] = true;
      row = row_of[j];
      break;
    }
    if (row == rows.size()) rows.emplace_back();
    rows[row].push_back(task);
    row_of[i] = row;
  }
  return rows;
}

Plan opara(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
           const ScheduleOptions& options) {
  const bool published = options.variant == kPublished;
  const TaskGraph tasks = task_graph(graph, views_of(device, options.variant));
  std::vector<Demand> demands;
  std::vector<bool> has_kernel;
  std::vector<double> times;
  for (NodeId node : tasks.nodes) {
    const Cost cost = costs.cost(graph, node);
    times.push_back(cost.time_us);
    demands.push_back(published ? published_demand_of(graph, node) : demand_of(graph, node, cost));
    has_kernel.push_back(!is_view(graph.node(node)));
  }
  Streams streams;
  streams.order = opara_order(tasks, demands, published, has_kernel);
  if (options.variant == kStreamsOnly) std::iota(streams.order.begin(), streams.order.end(), 0);
  streams.rows = options.variant == kOrderOnly ? stream_rows(task_rows(tasks))
                                               : opara_streams(tasks, streams.order);
  streams.in_turn = published;
  const Arrangement arrangement = arrange(tasks, times, streams, stream_limit(device, options));
  return assemble(graph, device, "opara", tasks, arrangement);
}

}  // namespace braid
