#include "optimise/search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <unordered_set>

#include "base/error.h"
#include "graph/hash.h"
#include "optimise/predicted_time.h"
#include "optimise/sites.h"

namespace braid {
namespace {

using Clock = std::chrono::steady_clock;

// The ladder of a candidate: each rung is dearer, and only what seems to be within its slack of the
// best so far climbs on.
constexpr double kPredictedSlack = 0.05;  ///< by cost alone
constexpr double kCarriedSlack = 0.03;    ///< in few models, scheduled as the best was
constexpr double kTriedSlack = 0.004;     ///< after a few changes of the schedule
constexpr std::size_t kFewModels = 3;
constexpr int kFewSteps = 40;
constexpr int kMoreSteps = 80;
/// What is ahead by less may be so by the luck of its schedule.
constexpr double kLeastGain = 0.0015;

double mean_log_ratio(const std::vector<double>& times, const std::vector<double>& others) {
  double sum = 0;
  const std::size_t count = std::min(times.size(), others.size());
  for (std::size_t i = 0; i < count; ++i) sum += std::log(times[i] / others[i]);
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

double geometric_mean(const std::vector<double>& times) {
  double sum = 0;
  for (const double time : times) sum += std::log(time);
  return std::exp(sum / static_cast<double>(times.size()));
}

class GraphSearch {
 public:
  GraphSearch(RewrittenGraph start, std::unique_ptr<Trial> trial, const OpenTrial& open,
              const GraphSearchOptions& options)
      : options_(options),
        open_(open),
        random_(options.seed),
        best_{std::move(start), std::move(trial)} {
    cost_ = best_.trial->cost();
    if (options.judge) {
      times_ = best_.trial->times_us(kAllModels);
      first_times_ = times_;
      predicted_.add(cost_, geometric_mean(times_));
    }
    first_score_ = score(cost_);
    seen_.insert(hash(best_.rewritten.graph(), HashWeights::TypesOnly));
  }

  FoundGraph run() {
    try {
      while (sweep()) continue;
      best_.stopped = SearchStop::Converged;
    } catch (const Stop& stop) {
      best_.stopped = stop.why;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Cancelled) throw;
      best_.stopped = SearchStop::Cancelled;
    }
    best_.candidates = candidates_;
    best_.alpha = predicted_.alpha();
    return std::move(best_);
  }

 private:
  struct Stop {
    SearchStop why;
  };
  static constexpr std::size_t kAllModels = 1000;

  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  void check_limits() {
    if (options_.seconds > 0 && seconds() > options_.seconds) throw Stop{SearchStop::Budget};
    if (options_.candidates > 0 && candidates_ >= options_.candidates)
      throw Stop{SearchStop::Candidates};
    report(options_.progress, "rewriting",
           options_.seconds > 0 ? static_cast<std::int64_t>(seconds() * 10) : candidates_,
           options_.seconds > 0 ? static_cast<std::int64_t>(options_.seconds * 10)
                                : options_.candidates);
  }

  /// The cost that filters, or decides if there is no judge.
  double score(const GraphCost& cost) const {
    switch (options_.cost) {
      case SearchCost::Sum:
        return cost.sum_us;
      case SearchCost::CriticalPath:
        return cost.critical_path_us;
      case SearchCost::Mixed:
        return predicted_.time_us(cost);
    }
    return 0;
  }

  /// Tries all groups of the best graph, wide ones first; what is kept on the way changes the graph
  /// that the next ones are tried on. Tells whether something was kept.
  bool sweep() {
    std::vector<SiteGroup> groups =
        site_groups(best_.rewritten.graph(), options_.disabled);
    std::ranges::shuffle(groups, random_);
    std::ranges::stable_sort(groups, {}, &SiteGroup::reach);
    bool kept = false;
    for (const SiteGroup& group : groups) {
      check_limits();
      kept |= try_group(group);
    }
    return kept;
  }

  bool try_group(const SiteGroup& group) {
    RewrittenGraph candidate = best_.rewritten;
    if (apply_group(candidate, group) == 0) return false;
    if (!seen_.insert(hash(candidate.graph(), HashWeights::TypesOnly)).second) return false;
    ++candidates_;
    std::unique_ptr<Trial> trial = open_(candidate.graph(), best_.trial.get());
    const GraphCost cost = trial->cost();
    const bool better = options_.judge ? climbs(*trial, cost)
                                       : score(cost) < score(cost_) * (1 - kLeastGain / 10);
    if (!better) return false;
    best_.rewritten = std::move(candidate);
    best_.trial = std::move(trial);
    cost_ = cost;
    if (options_.judge) times_ = best_.trial->times_us(kAllModels);
    best_.ratio = options_.judge ? std::exp(mean_log_ratio(first_times_, times_))
                                 : first_score_ / score(cost_);
    best_.gains.push_back({seconds(), candidates_, best_.ratio});
    return true;
  }

  bool climbs(Trial& trial, const GraphCost& cost) {
    if (score(cost) > score(cost_) * (1 + kPredictedSlack)) return false;
    const auto behind = [&](std::size_t models) {
      return mean_log_ratio(trial.times_us(models), times_);
    };
    if (behind(kFewModels) > kCarriedSlack) return false;
    trial.improve(kFewSteps);
    if (behind(kFewModels) > kTriedSlack) return false;
    trial.improve(kMoreSteps);
    const std::vector<double> times = trial.times_us(kAllModels);
    predicted_.add(cost, geometric_mean(times));
    return mean_log_ratio(times, times_) < -kLeastGain;
  }

  const GraphSearchOptions& options_;
  const OpenTrial& open_;
  std::mt19937_64 random_;
  Clock::time_point start_ = Clock::now();
  FoundGraph best_;
  GraphCost cost_;
  std::vector<double> times_;
  std::vector<double> first_times_;
  double first_score_ = 0;
  PredictedTime predicted_;
  std::unordered_set<Hash128> seen_;
  std::int64_t candidates_ = 0;
};

}  // namespace

FoundGraph search_rewriting(RewrittenGraph start, std::unique_ptr<Trial> trial,
                            const OpenTrial& open, const GraphSearchOptions& options) {
  return GraphSearch(std::move(start), std::move(trial), open, options).run();
}

}  // namespace braid
