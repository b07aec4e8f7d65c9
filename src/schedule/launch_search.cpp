#include "schedule/launch_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <queue>
#include <random>
#include <ranges>

#include "schedule/lane_simulator.h"

namespace braid {
namespace {

// Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983), with a limit that is drawn before the
// change is judged, so that the judge can give up as soon as the limit is passed:
//
//     limit = now * (1 + warmth * e)     e drawn from an exponential distribution of mean 1
//     warmth falls from kHot to kCold, geometrically, over the steps or the time that there are
//
// A change is kept if its time is within the limit, which is Metropolis's rule.
constexpr double kHot = 1e-3;
constexpr double kCold = 5e-5;
// One change in this many is of one task or row alone. The others hold for all tasks that look
// alike: what is good for all of them is less often good by chance.
constexpr std::size_t kClassMoves = 4;

/// A topological order: of the tasks that are ready always the one of greatest rank, then of least
/// number.
std::vector<Task> order_of(const TaskGraph& tasks, const std::vector<double>& rank) {
  using Entry = std::pair<double, Task>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::vector<std::size_t> missing(tasks.size());
  const auto arrive = [&](std::size_t i) { ready.push({-rank[i], static_cast<Task>(i)}); };
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    missing[i] = tasks.before[i].size();
    if (missing[i] == 0) arrive(i);
  }
  std::vector<Task> order;
  while (!ready.empty()) {
    order.push_back(ready.top().second);
    ready.pop();
    for (Task next : tasks.after[at(order.back())])
      if (--missing[at(next)] == 0) arrive(at(next));
  }
  return order;
}

class LaunchSearch {
 public:
  LaunchSearch(Launching start, const TaskGraph& tasks, const PartCosts& costs,
               const LaunchRange& range, const LaunchJudge& judge, const SearchLimits& limits)
      : current_(std::move(start)),
        tasks_(tasks),
        range_(range),
        judge_(judge),
        limits_(limits),
        classes_(alike(tasks, costs)),
        class_of_(tasks.size()),
        random_(limits.seed) {
    for (std::size_t i = 0; i < classes_.size(); ++i)
      for (Task task : classes_[i]) class_of_[at(task)] = i;
    double sum = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) sum += costs.whole(static_cast<Task>(i)).time_us;
    if (tasks.size() > 0) mean_us_ = sum / static_cast<double>(tasks.size());
  }

  FoundLaunching run() {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    Arrangement arrangement = arrangement_of(tasks_, current_);
    double now_us = judge_(arrangement, kNeverGiveUp);
    FoundLaunching best{current_, now_us};
    int& steps = best.search.steps;
    if (tasks_.size() < 2) return best;
    for (; steps < limits_.steps && elapsed() < limits_.seconds; ++steps) {
      report(limits_.progress, "searching", steps, limits_.steps);
      const double done =
          std::max(steps / static_cast<double>(limits_.steps), elapsed() / limits_.seconds);
      const double limit_us = now_us * (1 + warmth(done) * -std::log(unit()));
      const std::vector<Change> undo = change();
      Arrangement changed = arrangement_of(tasks_, current_);
      if (changed == arrangement) continue;
      const double time_us = judge_(changed, limit_us);
      if (time_us <= limit_us) {
        now_us = time_us;
        arrangement = std::move(changed);
        if (time_us < best.time_us) {
          best.time_us = time_us;
          best.launching = current_;
        }
      } else {
        for (const auto& old : undo | std::views::reverse) set(old);
      }
    }
    if (steps < limits_.steps) best.search.stopped = Stopped::Time;
    return best;
  }

 private:
  struct Change {
    Task task;
    double rank;
    int stream;
    int priority;
    int way;
  };
  enum class What { Rank, Stream, Priority, Way };

  /// How much worse a change may be, in the mean, when so much of the search is done.
  static double warmth(double done) { return kHot * std::pow(kCold / kHot, done); }

  /// Above 0, at most 1.
  double unit() { return (static_cast<double>(random_() >> 11U) + 1) / 9007199254740992.0; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void set(const Change& to) {
    current_.rank[at(to.task)] = to.rank;
    current_.stream[at(to.task)] = to.stream;
    current_.priority[at(to.task)] = to.priority;
    current_.way[at(to.task)] = to.way;
  }

  /// The task and those that can only follow it.
  std::vector<Task> row_from(Task task) const {
    std::vector<Task> row = {task};
    while (tasks_.after[at(row.back())].size() == 1 &&
           tasks_.before[at(tasks_.after[at(row.back())][0])].size() == 1)
      row.push_back(tasks_.after[at(row.back())][0]);
    return row;
  }

  std::vector<Task> chosen() {
    const auto task = static_cast<Task>(below(tasks_.size()));
    std::vector<Task> heads =
        below(kClassMoves) != 0 ? classes_[class_of_[at(task)]] : std::vector<Task>{task};
    if (below(2) == 0) return heads;
    std::vector<Task> all;
    for (Task head : heads)
      for (Task each : row_from(head)) all.push_back(each);
    return all;
  }

  What chosen_kind() {
    std::vector<What> kinds = {What::Rank};
    if (range_.streams > 1) kinds.push_back(What::Stream);
    if (range_.priorities > 1) kinds.push_back(What::Priority);
    if (!range_.ways.empty()) kinds.push_back(What::Way);
    return kinds[below(kinds.size())];
  }

  /// Changes the launching; returns what it was.
  std::vector<Change> change() {
    const std::vector<Task> tasks = chosen();
    const What what = chosen_kind();
    const double by = shift(tasks.front());
    const std::size_t way = below(3);
    const std::size_t pick = random_();
    std::vector<Change> undo;
    for (Task task : tasks) {
      const std::size_t i = at(task);
      undo.push_back(
          {task, current_.rank[i], current_.stream[i], current_.priority[i], current_.way[i]});
      if (what == What::Rank) current_.rank[i] += by;
      if (what == What::Stream) current_.stream[i] = other_stream(task, way, pick);
      if (what == What::Priority)
        current_.priority[i] = static_cast<int>(pick % static_cast<std::size_t>(range_.priorities));
      if (what == What::Way)
        current_.way[i] = static_cast<int>(pick % static_cast<std::size_t>(range_.ways[i]));
    }
    return undo;
  }

  /// By a few tasks' time, or to just before or behind another task.
  double shift(Task task) {
    const double few = (static_cast<double>(below(2001)) / 1000 - 1) * 4 * mean_us_;
    if (below(2) == 0) return few;
    const std::size_t other = below(tasks_.size());
    return current_.rank[other] - current_.rank[at(task)] + few * 1e-3;
  }

  /// That of a task before it, of one after it, or any.
  int other_stream(Task task, std::size_t way, std::size_t pick) const {
    const auto& neighbours = way == 0 ? tasks_.before[at(task)] : tasks_.after[at(task)];
    if (way == 2 || neighbours.empty())
      return static_cast<int>(pick % static_cast<std::size_t>(range_.streams));
    return current_.stream[at(neighbours[pick % neighbours.size()])];
  }

  Launching current_;
  const TaskGraph& tasks_;
  LaunchRange range_;
  const LaunchJudge& judge_;
  const SearchLimits& limits_;
  std::vector<std::vector<Task>> classes_;
  std::vector<std::size_t> class_of_;
  std::mt19937_64 random_;
  double mean_us_ = 0;
};

}  // namespace

Launching launching_of(const TaskGraph& tasks, const std::vector<double>& times_us,
                       const std::vector<std::vector<Task>>& rows, const std::vector<double>& rank,
                       int limit) {
  Streams streams;
  streams.rows = rows;
  streams.order = order_of(tasks, rank);
  Launching launching{std::vector<int>(tasks.size(), 0), rank, std::vector<int>(tasks.size(), 0),
                      std::vector<int>(tasks.size(), 0)};
  const Arrangement arrangement = arrange(tasks, times_us, streams, limit);
  for (std::size_t stream = 0; stream < arrangement.size(); ++stream)
    for (const Piece& piece : arrangement[stream])
      launching.stream[at(piece.task)] = static_cast<int>(stream);
  return launching;
}

Launching launching_of(const TaskGraph& tasks, const Plan& plan) {
  std::map<NodeId, Task> task_of;
  for (std::size_t i = 0; i < tasks.size(); ++i) task_of[tasks.nodes[i]] = static_cast<Task>(i);
  Launching launching{std::vector<int>(tasks.size(), 0), std::vector<double>(tasks.size(), 0),
                      std::vector<int>(tasks.size(), 0), std::vector<int>(tasks.size(), 0)};
  for (std::size_t stream = 0; stream < plan.streams.size(); ++stream)
    for (const Step& step : plan.streams[stream])
      if (const auto found = task_of.find(step.node); found != task_of.end()) {
        launching.stream[at(found->second)] = static_cast<int>(stream);
        launching.rank[at(found->second)] = -static_cast<double>(step.launch);
        launching.priority[at(found->second)] = step.priority;
        launching.way[at(found->second)] = step.way;
      }
  return launching;
}

Arrangement arrangement_of(const TaskGraph& tasks, const Launching& launching) {
  int streams = 0;
  for (int stream : launching.stream) streams = std::max(streams, stream + 1);
  Arrangement arrangement(static_cast<std::size_t>(streams));
  int launched = 0;
  for (Task task : order_of(tasks, launching.rank))
    arrangement[static_cast<std::size_t>(launching.stream[at(task)])].push_back(
        {.task = task,
         .launch = launched++,
         .priority = launching.priority[at(task)],
         .way = launching.way[at(task)]});
  return arrangement;
}

FoundLaunching improve_launching(Launching start, const TaskGraph& tasks, const PartCosts& costs,
                                 const LaunchRange& range, const LaunchJudge& judge,
                                 const SearchLimits& limits) {
  return LaunchSearch(std::move(start), tasks, costs, range, judge, limits).run();
}

}  // namespace braid
