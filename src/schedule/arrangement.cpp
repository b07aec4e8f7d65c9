#include "schedule/arrangement.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "graph/hash.h"
#include "plan/happens_before.h"
#include "plan/memory.h"
#include "plan/waits.h"
#include "schedule/part_costs.h"

namespace braid {
namespace {

Step step_of(const Graph& graph, NodeId node, const Piece& piece) {
  Step step;
  step.node = node;
  step.launch = piece.launch;
  step.priority = piece.priority;
  step.way = piece.way;
  if (piece.parts == 1) return step;
  const auto cut = cut_into(graph, node, piece.parts);
  require(cut.has_value(), "a scheduler cuts only what may be cut");
  step.part = piece.part;
  step.parts = piece.parts;
  step.cut = *cut;
  return step;
}

std::vector<Step> steps_of(const Graph& graph, const TaskGraph& tasks,
                           const std::vector<Piece>& pieces) {
  std::vector<Step> steps;
  for (const Piece& piece : pieces) {
    const auto task = static_cast<std::size_t>(piece.task);
    steps.push_back(step_of(graph, tasks.nodes[task], piece));
    if (piece.part > 0) continue;
    for (NodeId view : tasks.views[task])
      steps.push_back(step_of(graph, view, {.launch = piece.launch}));
  }
  return steps;
}

/// The first step of a stage waits for the last steps of earlier stages on all streams.
void add_barriers(const TaskGraph& tasks, const Arrangement& arrangement, Plan& plan) {
  struct Group {
    int stage;
    StepRef first;
    std::int32_t last;
  };
  std::vector<Group> groups;
  std::size_t stream = 0;
  for (const auto& pieces : arrangement) {
    if (pieces.empty()) continue;
    std::int32_t index = 0;
    for (const Piece& piece : pieces) {
      const StepRef here{StreamId(static_cast<std::int64_t>(stream)), index};
      ++index;
      if (piece.part == 0)
        index +=
            static_cast<std::int32_t>(tasks.views[static_cast<std::size_t>(piece.task)].size());
      if (groups.empty() || groups.back().first.stream != here.stream ||
          groups.back().stage != piece.stage)
        groups.push_back({piece.stage, here, 0});
      groups.back().last = index - 1;
    }
    ++stream;
  }
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::pair(a.stage, a.first) < std::pair(b.stage, b.first);
  });
  Frontier ended;
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    while (end < groups.size() && groups[end].stage == groups[begin].stage) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      const StepRef first = groups[i].first;
      Step& step = plan.streams[first.stream.at()][static_cast<std::size_t>(first.index)];
      for (StepRef wait : ended)
        if (wait.stream != first.stream) step.waits.push_back(wait);
    }
    for (std::size_t i = begin; i < end; ++i)
      extend(ended, {groups[i].first.stream, groups[i].last});
  }
}

}  // namespace

Plan assemble(const Graph& graph, const DeviceSpec& device, std::string_view scheduler,
              const TaskGraph& tasks, const Arrangement& arrangement) {
  Plan plan = assemble_unplaced(graph, device, scheduler, tasks, arrangement);
  plan.graph = hash(graph, HashWeights::TypesOnly);
  place(graph, plan);
  return plan;
}

Plan assemble_unplaced(const Graph& graph, const DeviceSpec& device, std::string_view scheduler,
                       const TaskGraph& tasks, const Arrangement& arrangement) {
  Plan plan;
  plan.device = device.name;
  plan.scheduler = scheduler;
  for (const auto& pieces : arrangement)
    if (!pieces.empty()) plan.streams.push_back(steps_of(graph, tasks, pieces));
  if (plan.streams.empty()) plan.streams.emplace_back();
  add_data_waits(graph, plan);
  add_barriers(tasks, arrangement, plan);
  reduce_waits(graph, plan);
  return plan;
}

Arrangement arrange(const TaskGraph& tasks, const std::vector<double>& times_us,
                    const Streams& streams, int limit) {
  const std::size_t lanes = std::min(streams.rows.size(), static_cast<std::size_t>(limit));
  std::vector<std::size_t> row_of(tasks.size());
  std::vector<std::size_t> lane_of(streams.rows.size(), lanes);
  for (std::size_t row = 0; row < streams.rows.size(); ++row) {
    for (Task task : streams.rows[row]) row_of[static_cast<std::size_t>(task)] = row;
    if (streams.in_turn || streams.rows.size() <= lanes) lane_of[row] = row % lanes;
  }

  Arrangement arrangement(lanes);
  std::vector<double> end(tasks.size(), 0);
  std::vector<double> free(lanes, 0);
  for (std::size_t position = 0; position < streams.order.size(); ++position) {
    const Task task = streams.order[position];
    const auto i = static_cast<std::size_t>(task);
    std::size_t& lane = lane_of[row_of[i]];
    if (lane == lanes)
      lane = static_cast<std::size_t>(std::min_element(free.begin(), free.end()) - free.begin());
    double begin = free[lane];
    for (Task before : tasks.before[i])
      begin = std::max(begin, end[static_cast<std::size_t>(before)]);
    free[lane] = end[i] = begin + times_us[i];
    arrangement[lane].push_back({.task = task, .launch = static_cast<int>(position)});
  }
  return arrangement;
}

}  // namespace braid
