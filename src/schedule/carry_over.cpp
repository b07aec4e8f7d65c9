#include "schedule/carry_over.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "schedule/launch_starts.h"
#include "schedule/list_schedule.h"

namespace braid {
namespace {

std::string made_by_node(const Graph& graph, NodeId id) {
  for (const ValueId output : graph.node(id).outputs)
    if (output.valid()) return graph.value(output).name;
  return {};
}

/// When a task is launched that the steps do not name.
enum class NewTasks {
  Early,  ///< as soon as what it reads was launched
  Late    ///< just before what first needs it
};

class CarriedOver {
 public:
  CarriedOver(const NamedSteps& steps, const Graph& lowered, const TaskGraph& tasks,
              const ScheduleOptions& options, int streams, NewTasks when)
      : steps_(steps),
        lowered_(lowered),
        tasks_(tasks),
        options_(options),
        streams_(streams),
        when_(when) {
    const std::size_t size = tasks.size();
    launching_ = {std::vector<int>(size, -1), std::vector<double>(size, 0),
                  std::vector<int>(size, 0), std::vector<int>(size, 0)};
  }

  Launching run() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) take_place(i);
    if (when_ == NewTasks::Late)
      for (std::size_t i = tasks_.size(); i-- > 0;)
        if (is_new(i)) launching_.rank[i] = rank_before_readers(i);
    if (when_ == NewTasks::Early)
      for (std::size_t i = 0; i < tasks_.size(); ++i)
        if (is_new(i)) launching_.rank[i] = rank_behind_inputs(i);
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (is_new(i)) launching_.stream[i] = free_stream(i);
    return std::move(launching_);
  }

 private:
  bool is_new(std::size_t task) const { return launching_.stream[task] < 0; }

  void take_place(std::size_t task) {
    const auto found = steps_.places.find(made_by_node(lowered_, tasks_.nodes[task]));
    if (found == steps_.places.end() || found->second.stream >= streams_) return;
    const NamedSteps::Place& place = found->second;
    launching_.stream[task] = place.stream;
    launching_.rank[task] = -place.launch;
    launching_.priority[task] = place.priority;
    const auto& ways = options_.ways;
    const int most = ways.empty() ? 1 : ways[tasks_.nodes[task].at()];
    launching_.way[task] = place.way < most ? place.way : 0;
  }

  double rank_before_readers(std::size_t task) const {
    std::optional<double> first;
    for (const Task reader : tasks_.after[task])
      first = std::max(first.value_or(launching_.rank[at(reader)]), launching_.rank[at(reader)]);
    return first ? std::nextafter(*first, *first + 1) : -static_cast<double>(tasks_.size());
  }

  double rank_behind_inputs(std::size_t task) const {
    double last = 1;
    for (const Task before : tasks_.before[task])
      last = std::min(last, launching_.rank[at(before)]);
    return std::nextafter(last, last - 1);
  }

  /// That of a task before it which no other reader of that task has, of a reader, or a new one.
  int free_stream(std::size_t task) {
    const auto taken = [&](int stream) {
      for (const Task before : tasks_.before[task])
        for (const Task other : tasks_.after[at(before)])
          if (at(other) != task && launching_.stream[at(other)] == stream) return true;
      return false;
    };
    for (const Task before : tasks_.before[task])
      if (!taken(launching_.stream[at(before)])) return launching_.stream[at(before)];
    for (const Task reader : tasks_.after[task])
      if (launching_.stream[at(reader)] >= 0 && !taken(launching_.stream[at(reader)]))
        return launching_.stream[at(reader)];
    int most = 0;
    for (const int stream : launching_.stream) most = std::max(most, stream);
    for (int stream = 0; stream <= std::min(most + 1, streams_ - 1); ++stream)
      if (!taken(stream)) return stream;
    return 0;
  }

  const NamedSteps& steps_;
  const Graph& lowered_;
  const TaskGraph& tasks_;
  const ScheduleOptions& options_;
  int streams_;
  NewTasks when_;
  Launching launching_;
};

}  // namespace

NamedSteps named_steps(const Graph& lowered, const Plan& plan) {
  NamedSteps named;
  named.streams = static_cast<int>(plan.streams.size());
  for (int stream = 0; stream < named.streams; ++stream)
    for (const Step& step : plan.streams[static_cast<std::size_t>(stream)])
      named.places.insert_or_assign(
          made_by_node(lowered, step.node),
          NamedSteps::Place{stream, step.launch, step.priority, step.way});
  return named;
}

Plan carried_over(const NamedSteps& steps, const Graph& lowered, const CostModel& costs,
                  const DeviceSpec& device, const ScheduleOptions& options) {
  require(device.launches, "a Plan of lanes is not carried over");
  const TaskGraph tasks = task_graph(lowered);
  const int streams = stream_limit(device, options);
  const auto plan_of = [&](const Arrangement& arrangement) {
    return assemble_unplaced(lowered, device, "carried over", tasks, arrangement);
  };
  Launching best = CarriedOver(steps, lowered, tasks, options, streams, NewTasks::Late).run();
  if (!options.evaluate) return plan_of(arrangement_of(tasks, best));
  const LaunchJudge judge = [&](const Arrangement& arrangement, double give_up_us) {
    return options.evaluate(plan_of(arrangement), give_up_us);
  };
  const PartCosts parts(lowered, costs, tasks, 1);
  if (options.search_steps == 0) {
    std::vector<Launching> others =
        launch_starts(tasks, parts, bottom_levels(tasks, parts, 1), streams);
    others.push_back(CarriedOver(steps, lowered, tasks, options, streams, NewTasks::Early).run());
    double best_us = judge(arrangement_of(tasks, best), kNeverGiveUp);
    for (Launching& other : others) {
      const double time_us = judge(arrangement_of(tasks, other), best_us);
      if (time_us >= best_us) continue;
      best = std::move(other);
      best_us = time_us;
    }
    return plan_of(arrangement_of(tasks, best));
  }
  LaunchRange range{streams, device.priorities};
  for (const NodeId node : tasks.nodes)
    if (!options.ways.empty()) range.ways.push_back(options.ways[node.at()]);
  best = improve_launching(std::move(best), tasks, parts, range, judge,
                           {.steps = options.search_steps,
                            .seconds = options.budget_seconds,
                            .seed = options.seed,
                            .progress = options.progress})
             .launching;
  return plan_of(arrangement_of(tasks, best));
}

}  // namespace braid
