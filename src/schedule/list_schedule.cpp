#include "schedule/list_schedule.h"

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace braid {
namespace {

constexpr int kMostTies = 64;  // tasks of equal priority that are looked at

bool memory_bound(const Cost& cost) { return cost.bandwidth_share > cost.compute_share; }

/// The time of a task and of those that can only follow it, one by one.
std::vector<double> runs_ahead(const TaskGraph& tasks, const PartCosts& costs) {
  std::vector<double> ahead(tasks.size());
  for (std::size_t i = tasks.size(); i-- > 0;) {
    ahead[i] = costs.whole(static_cast<Task>(i)).time_us;
    if (tasks.after[i].size() != 1) continue;
    const auto next = static_cast<std::size_t>(tasks.after[i][0]);
    if (tasks.before[next].size() == 1) ahead[i] += ahead[next];
  }
  return ahead;
}

class ListScheduler {
 public:
  ListScheduler(const TaskGraph& tasks, const PartCosts& costs, const DeviceSpec& device, int lanes,
                const Guide& guide)
      : tasks_(tasks),
        costs_(costs),
        guide_(guide),
        wait_us_(device.wait_us),
        lanes_(static_cast<std::size_t>(lanes)),
        layout_(lanes_.size()),
        ahead_(runs_ahead(tasks, costs)),
        done_(tasks.size()),
        missing_(tasks.size()) {}

  Arrangement run() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      missing_[i] = tasks_.before[i].size();
      if (missing_[i] == 0) pending_.push({0.0, static_cast<Task>(i)});
    }
    for (std::size_t placed = 0; placed < tasks_.size(); ++placed) {
      double now = earliest_lane();
      if (ready_.empty()) now = std::max(now, pending_.top().first);
      admit(now);
      place(take());
    }
    return std::move(layout_);
  }

 private:
  struct Lane {
    double free = 0;
    double begin = 0;  // of its last step
    double bandwidth = 0;
  };
  struct Done {
    double end = 0;  // of its last piece
    std::size_t lane = 0;
    double other_end = 0;  // of the last piece on another lane
  };
  /// An order of tasks: greatest priority first, then least task.
  using Rank = std::pair<double, Task>;

  double earliest_lane() const {
    return std::min_element(lanes_.begin(), lanes_.end(),
                            [](const Lane& a, const Lane& b) { return a.free < b.free; })
        ->free;
  }

  void admit(double now) {
    while (!pending_.empty() && pending_.top().first <= now) {
      const Task task = pending_.top().second;
      pending_.pop();
      ready_.insert({-guide_.priority[static_cast<std::size_t>(task)], task});
      work_ready_ += ahead_[static_cast<std::size_t>(task)];
    }
  }

  Task take() {
    auto chosen = ready_.begin();
    int looked_at = 0;
    for (auto at = ready_.begin();
         at != ready_.end() && at->first == ready_.begin()->first && looked_at++ < kMostTies; ++at)
      if (memory_bound(costs_.whole(at->second)) != last_memory_bound_) {
        chosen = at;
        break;
      }
    const Task task = chosen->second;
    ready_.erase(chosen);
    work_ready_ = std::max(0.0, work_ready_ - ahead_[static_cast<std::size_t>(task)]);
    last_memory_bound_ = memory_bound(costs_.whole(task));
    return task;
  }

  /// When the inputs of a task have reached a lane.
  double arrival(Task task, std::size_t lane) const {
    double when = 0;
    for (Task earlier : tasks_.before[static_cast<std::size_t>(task)]) {
      const Done& done = done_[static_cast<std::size_t>(earlier)];
      const double foreign = done.lane == lane ? done.other_end : done.end;
      when = std::max({when, done.end, foreign > 0 ? foreign + wait_us_ : 0});
    }
    return when;
  }

  double slowness(std::size_t lane, const Cost& cost, double begin) const {
    double bandwidth = cost.bandwidth_share;
    for (std::size_t other = 0; other < lanes_.size(); ++other)
      if (other != lane && lanes_[other].begin <= begin && begin < lanes_[other].free)
        bandwidth += lanes_[other].bandwidth;
    return std::max(1.0, bandwidth);
  }

  struct Slot {
    std::size_t lane = 0;
    double begin = 0;
    double end = 0;
  };

  /// The lanes on which the parts would end first.
  std::vector<Slot> slots(Task task, const PartCosts::Option& option) const {
    std::vector<Slot> all;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      const double begin = std::max(lanes_[lane].free, arrival(task, lane));
      const double slow = slowness(lane, option.each, begin);
      all.push_back({lane, begin, begin + option.each.time_us * slow});
    }
    const auto later = [&](const Slot& a, const Slot& b) {
      return std::tuple(a.end, lanes_[b.lane].free, a.lane) <
             std::tuple(b.end, lanes_[a.lane].free, b.lane);
    };
    std::sort(all.begin(), all.end(), later);
    all.resize(static_cast<std::size_t>(option.parts));
    return all;
  }

  /// The time until the task, what can only follow it, and all other ready work are done, if they
  /// spread evenly.
  double outlook(Task task, const PartCosts::Option& option) const {
    const double whole = costs_.whole(task).time_us;
    const double scale = whole > 0 ? ahead_[static_cast<std::size_t>(task)] / whole : 1;
    const double area = option.area_us() * scale + work_ready_;
    return std::max(option.each.time_us * scale, area / static_cast<double>(lanes_.size()));
  }

  std::vector<Slot> choose(Task task, int& parts) const {
    const int wanted = guide_.parts[static_cast<std::size_t>(task)];
    if (wanted > 0) {
      const PartCosts::Option& option = costs_.in_parts(task, wanted);
      parts = option.parts;
      return slots(task, option);
    }
    std::vector<Slot> best;
    double best_outlook = 0;
    for (const PartCosts::Option& option : costs_.options(task)) {
      std::vector<Slot> found = slots(task, option);
      const double expected = outlook(task, option);
      if (!best.empty() && (expected >= best_outlook || found.back().end >= best.back().end))
        continue;
      best = std::move(found);
      best_outlook = expected;
      parts = option.parts;
    }
    return best;
  }

  void place(Task task) {
    int parts = 1;
    std::vector<Slot> chosen = choose(task, parts);
    std::sort(chosen.begin(), chosen.end(),
              [](const Slot& a, const Slot& b) { return a.lane < b.lane; });
    const Cost& cost = costs_.in_parts(task, parts).each;
    Done& done = done_[static_cast<std::size_t>(task)];
    for (std::size_t part = 0; part < chosen.size(); ++part) {
      const Slot& slot = chosen[part];
      lanes_[slot.lane] = {slot.end, slot.begin, cost.bandwidth_share};
      layout_[slot.lane].push_back({task, static_cast<int>(part), parts, launched_});
      if (slot.end > done.end) {
        if (part > 0) done.other_end = done.end;
        done.end = slot.end;
        done.lane = slot.lane;
      } else {
        done.other_end = std::max(done.other_end, slot.end);
      }
    }
    ++launched_;
    for (Task next : tasks_.after[static_cast<std::size_t>(task)])
      if (--missing_[static_cast<std::size_t>(next)] == 0) {
        double when = 0;
        for (Task earlier : tasks_.before[static_cast<std::size_t>(next)])
          when = std::max(when, done_[static_cast<std::size_t>(earlier)].end);
        pending_.push({when, next});
      }
  }

  const TaskGraph& tasks_;
  const PartCosts& costs_;
  const Guide& guide_;
  double wait_us_;
  std::vector<Lane> lanes_;
  Arrangement layout_;
  std::vector<double> ahead_;
  std::vector<Done> done_;
  std::vector<std::size_t> missing_;
  std::priority_queue<Rank, std::vector<Rank>, std::greater<>> pending_;  // by time
  std::set<Rank> ready_;
  double work_ready_ = 0;
  bool last_memory_bound_ = true;
  int launched_ = 0;
};

}  // namespace

std::vector<double> bottom_levels(const TaskGraph& tasks, const PartCosts& costs,
                                  int parts_at_once) {
  std::vector<double> level(tasks.size());
  for (std::size_t i = tasks.size(); i-- > 0;) {
    double below = 0;
    for (Task next : tasks.after[i]) below = std::max(below, level[static_cast<std::size_t>(next)]);
    level[i] = below + costs.in_parts(static_cast<Task>(i), parts_at_once).each.time_us;
  }
  return level;
}

Arrangement list_schedule(const TaskGraph& tasks, const PartCosts& costs, const DeviceSpec& device,
                          int lanes, const Guide& guide) {
  return ListScheduler(tasks, costs, device, lanes, guide).run();
}

}  // namespace braid
