#include "schedule/lane_simulator.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "base/error.h"

namespace braid {
namespace {

/// Steps that belong together end when the last of them does; others wait for all of them.
class Machine {
 public:
  struct Row {
    Cost cost;
    std::size_t group = 0;
    std::size_t lane = 0;
    const std::vector<std::int32_t>* waits = nullptr;  // groups
  };

  /// Takes the rows lane by lane.
  Machine(std::vector<Row> rows, std::size_t groups, double wait_us)
      : rows_(std::move(rows)),
        groups_(groups),
        dependents_(groups),
        missing_(rows_.size()),
        earliest_(rows_.size(), 0),
        spans_(rows_.size()),
        wait_us_(wait_us) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      ++groups_[rows_[i].group].left;
      for (std::int32_t group : *rows_[i].waits)
        dependents_[static_cast<std::size_t>(group)].push_back(i);
      missing_[i] = rows_[i].waits->size() + (follows(i) ? 1 : 0);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (missing_[i] == 0) due_.push({0, i});
  }

  double run() {
    while (!due_.empty() || !running_.empty()) {
      const double due = due_.empty() ? kNever : due_.top().first;
      const double end = running_.empty() ? kNever : end_of(running_.top().first);
      if (due <= end) {
        advance(due);
        begin(due_.top().second);
        due_.pop();
      } else {
        const auto [work, row] = running_.top();
        running_.pop();
        now_ = end;
        work_ = work;
        finish(row);
      }
    }
    require(finished_ == rows_.size(), "a simulated Plan has no cycle");
    return now_;
  }

  const Timeline::Span& span(std::size_t row) const { return spans_[row]; }

 private:
  struct Group {
    std::size_t left = 0;
    double end = 0;        // of the last that ended
    std::size_t lane = 0;  // its lane
    double other_end = 0;  // of the last on any other lane
  };
  using Due = std::pair<double, std::size_t>;
  using Earliest = std::priority_queue<Due, std::vector<Due>, std::greater<>>;
  static constexpr double kNever = 1e300;

  bool follows(std::size_t row) const { return row > 0 && rows_[row - 1].lane == rows_[row].lane; }
  /// All that runs is equally slow, so one clock of work done serves all.
  double slowness() const {
    constexpr double rounding = 1e-9;
    const double most = std::max(bandwidth_, compute_);
    return most > 1 + rounding ? most : 1;
  }
  double end_of(double work) const { return now_ + std::max(0.0, work - work_) * slowness(); }
  void advance(double to) {
    work_ += (to - now_) / slowness();
    now_ = to;
  }

  void begin(std::size_t row) {
    spans_[row].begin_us = now_;
    bandwidth_ += rows_[row].cost.bandwidth_share;
    compute_ += rows_[row].cost.compute_share;
    running_.push({work_ + rows_[row].cost.time_us, row});
  }

  void finish(std::size_t row) {
    ++finished_;
    spans_[row].end_us = now_;
    bandwidth_ -= rows_[row].cost.bandwidth_share;
    compute_ -= rows_[row].cost.compute_share;
    if (running_.empty()) bandwidth_ = compute_ = 0;
    Group& group = groups_[rows_[row].group];
    if (group.lane != rows_[row].lane) group.other_end = group.end;
    group.end = now_;
    group.lane = rows_[row].lane;
    if (row + 1 < rows_.size() && follows(row + 1)) release(row + 1, now_);
    if (--group.left > 0) return;
    for (std::size_t after : dependents_[rows_[row].group]) {
      const bool same = rows_[after].lane == group.lane;
      const double foreign = same ? group.other_end : group.end;
      release(after, std::max(group.end, foreign > 0 ? foreign + wait_us_ : 0));
    }
  }

  void release(std::size_t row, double when) {
    earliest_[row] = std::max(earliest_[row], when);
    if (--missing_[row] == 0) due_.push({earliest_[row], row});
  }

  std::vector<Row> rows_;
  std::vector<Group> groups_;
  std::vector<std::vector<std::size_t>> dependents_;
  std::vector<std::size_t> missing_;
  std::vector<double> earliest_;
  std::vector<Timeline::Span> spans_;
  double wait_us_;
  Earliest due_;      // by time
  Earliest running_;  // by the clock of work at which they end
  double now_ = 0;
  double work_ = 0;
  double bandwidth_ = 0;
  double compute_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace

Timeline simulate_lanes(const Graph& graph, const CostModel& costs, const DeviceSpec& device,
                        const Plan& plan) {
  std::vector<std::size_t> first = {0};
  for (const auto& stream : plan.streams) first.push_back(first.back() + stream.size());
  std::vector<std::vector<std::int32_t>> waits;
  waits.reserve(first.back());
  std::vector<Machine::Row> rows;
  for (std::size_t s = 0; s < plan.streams.size(); ++s)
    for (const Step& step : plan.streams[s]) {
      auto& awaited = waits.emplace_back();
      for (StepRef wait : step.waits)
        awaited.push_back(static_cast<std::int32_t>(first[wait.stream.at()]) + wait.index);
      rows.push_back({costs.cost(graph, step.node, step.parts), rows.size(), s, &awaited});
    }
  Machine machine(std::move(rows), first.back(), device.wait_us);
  Timeline timeline;
  timeline.end_us = machine.run();
  for (std::size_t s = 0; s < plan.streams.size(); ++s) {
    auto& spans = timeline.streams.emplace_back();
    for (std::size_t i = first[s]; i < first[s + 1]; ++i) spans.push_back(machine.span(i));
  }
  return timeline;
}

double simulate_us(const TaskGraph& tasks, const PartCosts& costs, const DeviceSpec& device,
                   const Arrangement& arrangement) {
  std::vector<Machine::Row> rows;
  for (std::size_t s = 0; s < arrangement.size(); ++s)
    for (const Piece& piece : arrangement[s]) {
      const auto task = static_cast<std::size_t>(piece.task);
      rows.push_back({costs.in_parts(piece.task, piece.parts).each, task, s, &tasks.before[task]});
    }
  return Machine(std::move(rows), tasks.size(), device.wait_us).run();
}

}  // namespace braid
