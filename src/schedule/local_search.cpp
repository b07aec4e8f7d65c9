#include "schedule/local_search.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <utility>

#include "base/hash.h"

namespace braid {
namespace {

constexpr int kRadius = 3;  // edges around a task that decide its class

class LocalSearch {
 public:
  LocalSearch(Guide start, const PartCosts& costs, const std::vector<std::vector<Task>>& classes,
              const GuideJudge& judge, const SearchLimits& limits)
      : guide_(std::move(start)),
        costs_(costs),
        classes_(classes),
        judge_(judge),
        limits_(limits),
        random_(limits.seed) {
    double sum = 0;
    for (std::size_t i = 0; i < guide_.priority.size(); ++i) {
      const auto task = static_cast<Task>(i);
      sum += costs_.whole(task).time_us;
      if (costs_.options(task).size() > 1) cuttable_.push_back(task);
    }
    if (!guide_.priority.empty()) mean_us_ = sum / static_cast<double>(guide_.priority.size());
  }

  Improved run() {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    Improved result{guide_, judge_(guide_)};
    int& steps = result.search.steps;
    if (guide_.priority.size() < 2) return result;
    for (; steps < limits_.steps && elapsed() < limits_.seconds; ++steps) {
      tell(steps, elapsed());
      const std::vector<Change> undo = change();
      const double time_us = judge_(guide_);
      if (time_us <= result.time_us) {
        result.time_us = time_us;
      } else {
        for (const Change& old : undo) set(old);
      }
    }
    if (steps < limits_.steps) result.search.stopped = Stopped::Time;
    result.guide = std::move(guide_);
    return result;
  }

 private:
  struct Change {
    Task task;
    double priority;
    int parts;
  };

  /// Tells how far the search is, by steps or by time, whichever will end it first.
  void tell(int steps, double seconds) const {
    constexpr double kWhole = 1000;
    const double share = std::max(steps / static_cast<double>(limits_.steps),
                                  limits_.seconds > 0 ? seconds / limits_.seconds : 0);
    report(limits_.progress, "searching", static_cast<std::int64_t>(std::min(1.0, share) * kWhole),
           static_cast<std::int64_t>(kWhole));
  }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  double shift() {
    return (static_cast<double>(random_() % 2001) / 1000 - 1) * 4 * mean_us_;  // a few tasks' time
  }

  void set(const Change& to) {
    guide_.priority[static_cast<std::size_t>(to.task)] = to.priority;
    guide_.parts[static_cast<std::size_t>(to.task)] = to.parts;
  }

  /// Changes the guide; returns what it was.
  std::vector<Change> change() {
    const bool parts = !cuttable_.empty() && below(2) == 0;
    const bool all_alike = below(2) == 0;
    Task task = parts ? cuttable_[below(cuttable_.size())]
                      : static_cast<Task>(below(guide_.priority.size()));
    std::vector<Task> tasks = {task};
    if (all_alike) {
      if (class_of_.empty()) number_classes();
      tasks = classes_[class_of_[static_cast<std::size_t>(task)]];
    }
    const auto& options = costs_.options(task);
    const std::size_t choice = below(options.size() + 1);
    const int wanted = choice == options.size() ? 0 : options[choice].parts;
    const double by = shift();
    std::vector<Change> undo;
    for (Task each : tasks) {
      const auto i = static_cast<std::size_t>(each);
      undo.push_back({each, guide_.priority[i], guide_.parts[i]});
      if (parts)
        guide_.parts[i] = wanted;
      else
        guide_.priority[i] += by;
    }
    return undo;
  }

  void number_classes() {
    class_of_.resize(guide_.priority.size());
    for (std::size_t i = 0; i < classes_.size(); ++i)
      for (Task task : classes_[i]) class_of_[static_cast<std::size_t>(task)] = i;
  }

  Guide guide_;
  const PartCosts& costs_;
  const std::vector<std::vector<Task>>& classes_;
  const GuideJudge& judge_;
  const SearchLimits& limits_;
  std::mt19937_64 random_;
  std::vector<Task> cuttable_;
  std::vector<std::size_t> class_of_;
  double mean_us_ = 0;
};

}  // namespace

std::string_view name(Stopped stopped) { return stopped == Stopped::Steps ? "steps" : "time"; }

Improved improve_guide(Guide start, const PartCosts& costs,
                       const std::vector<std::vector<Task>>& classes, const GuideJudge& judge,
                       const SearchLimits& limits) {
  return LocalSearch(std::move(start), costs, classes, judge, limits).run();
}

std::vector<std::vector<Task>> alike(const TaskGraph& tasks, const PartCosts& costs) {
  std::vector<Hash128> mark(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Hasher hasher;
    for (const PartCosts::Option& option : costs.options(static_cast<Task>(i))) {
      hasher.add(option.parts);
      hasher.add(option.each.time_us);
      hasher.add(option.each.bandwidth_share);
    }
    mark[i] = hasher.finish();
  }
  for (int round = 0; round < kRadius; ++round) {
    std::vector<Hash128> next(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      Hasher hasher;
      hasher.add(mark[i]);
      for (const auto* neighbours : {&tasks.before[i], &tasks.after[i]}) {
        hasher.add(neighbours->size());
        for (Task other : *neighbours) hasher.add(mark[static_cast<std::size_t>(other)]);
      }
      next[i] = hasher.finish();
    }
    mark = std::move(next);
  }
  std::map<Hash128, std::size_t> known;
  std::vector<std::vector<Task>> classes;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto [entry, fresh] = known.try_emplace(mark[i], classes.size());
    if (fresh) classes.emplace_back();
    classes[entry->second].push_back(static_cast<Task>(i));
  }
  return classes;
}

}  // namespace braid
