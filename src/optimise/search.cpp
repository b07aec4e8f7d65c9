#include "optimise/search.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/sort_by.h"
#include "graph/hash.h"
#include "optimise/ladder.h"
#include "optimise/sites.h"

namespace braid {
namespace {

using Clock = std::chrono::steady_clock;

// Of each segment, and of the time that is left.
constexpr std::size_t kSegmentPops = 12;
constexpr std::size_t kSegmentCandidates = 600;
constexpr double kShareOfSegments = 0.3;
/// Costing so many segments takes about as long as a graph's trial, and counts as one.
constexpr std::int64_t kSegmentsOfCandidate = 50;
/// Where trials take long, what was glanced at for so much of the time climbs first.
constexpr double kShareOfGlances = 0.15;
/// Where trials take so long that glances would take this share, the search begins with what the
/// cost finds.
constexpr double kLongGlances = 0.3;
constexpr double kShareOfLeap = 0.3;
constexpr int kStepsAfterLeap = 400;

class GraphSearch {
 public:
  GraphSearch(RewrittenGraph given, RewrittenGraph start, std::unique_ptr<Trial> trial,
              const OpenTrial& open, const GraphSearchOptions& options)
      : options_(options),
        open_(open),
        random_(options.seed),
        first_(std::move(given)),
        best_{std::move(start), std::move(trial)},
        ladder_(options.cost, options.judge, *best_.trial) {
    seen_.insert(hash(best_.rewritten.graph(), HashWeights::TypesOnly));
  }

  FoundGraph run() {
    try {
      tell();
      if (trials_take_long()) leap();
      while (groups() || parts() || single_sites()) continue;
      best_.stopped = SearchStop::Converged;
    } catch (const Stop& stop) {
      best_.stopped = stop.why;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Cancelled) throw;
      best_.stopped = SearchStop::Cancelled;
    }
    best_.candidates = candidates_;
    return std::move(best_);
  }

 private:
  struct Stop {
    SearchStop why;
  };

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// For one step of the search; without a clock it never ends it.
  double seconds_left() const {
    constexpr double kLong = 3600;
    return options_.seconds > 0 ? std::max(0.0, options_.seconds - seconds()) : kLong;
  }

  void check_limits() {
    if (options_.seconds > 0 && seconds() > options_.seconds) throw Stop{SearchStop::Budget};
    if (options_.candidates > 0 && candidates_ >= options_.candidates)
      throw Stop{SearchStop::Candidates};
    tell();
  }

  void tell() const {
    if (!options_.progress) return;
    report(options_.progress,
           fmt::format("rewriting: {:.3f} times as fast, {} candidates", best_.ratio, candidates_),
           options_.seconds > 0 ? static_cast<std::int64_t>(seconds() * 10) : candidates_,
           options_.seconds > 0 ? static_cast<std::int64_t>(options_.seconds * 10)
                                : options_.candidates);
  }

  struct Candidate {
    RewrittenGraph rewritten;
    std::unique_ptr<Trial> trial;
    TrialCost cost;
  };

  /// Puts a graph on trial. Nothing if that was done before, unless it was to be done `again`.
  std::optional<Candidate> candidate(RewrittenGraph rewritten, bool again = false) {
    check_limits();
    const bool is_new = seen_.insert(hash(rewritten.graph(), HashWeights::TypesOnly)).second;
    if (!is_new && !again) return std::nullopt;
    if (is_new) ++candidates_;
    std::unique_ptr<Trial> trial = open_(rewritten.graph(), best_.trial.get());
    const TrialCost cost = trial->cost();
    return Candidate{std::move(rewritten), std::move(trial), cost};
  }

  std::optional<Candidate> candidate(const SiteGroup& group, bool again = false) {
    RewrittenGraph rewritten = best_.rewritten;
    if (apply_group(rewritten, group) == 0) return std::nullopt;
    return candidate(std::move(rewritten), again);
  }

  /// The groups of several sites, the widest first, or of single ones.
  std::vector<SiteGroup> groups_of(bool several) const {
    std::vector<SiteGroup> groups = site_groups(best_.rewritten.graph(), options_.disabled);
    std::erase_if(groups,
                  [&](const SiteGroup& group) { return (group.reach == Reach::One) == several; });
    sort_by(groups, [](const SiteGroup& group) { return group.reach; });
    return groups;
  }

  /// Whether there is no time to glance at every group of sites.
  bool trials_take_long() const {
    if (!options_.judge || options_.seconds <= 0) return false;
    const double began = seconds();
    const auto trial = open_(best_.rewritten.graph(), best_.trial.get());
    ladder_.glance(*trial, trial->cost());
    const double each = seconds() - began;
    return each * static_cast<double>(groups_of(true).size()) > kLongGlances * options_.seconds;
  }

  /// Tries what a search finds that goes by cost alone, which needs no schedules.
  void leap() {
    step_ = "cost alone";
    GraphSearchOptions how = options_;
    how.judge = false;
    how.seconds = kShareOfLeap * options_.seconds;
    GraphSearch by_cost(first_, best_.rewritten, open_(best_.rewritten.graph(), best_.trial.get()),
                        open_, how);
    by_cost.ladder_.set_predicted(ladder_.predicted());
    FoundGraph found = by_cost.run();
    candidates_ += found.candidates;
    if (found.stopped == SearchStop::Cancelled) throw Stop{SearchStop::Cancelled};
    std::optional<Candidate> tried = candidate(std::move(found.rewritten));
    if (!tried) return;
    tried->trial->improve(kStepsAfterLeap, kShareOfGlances * options_.seconds);
    keep_if_better(std::move(tried));
  }

  void keep(Candidate better) {
    best_.rewritten = std::move(better.rewritten);
    best_.trial = std::move(better.trial);
    ladder_.set_best(*best_.trial, better.cost);
    best_.ratio = ladder_.ratio();
    best_.gains.push_back({seconds(), candidates_, best_.ratio, step_});
  }

  bool keep_if_better(std::optional<Candidate> tried) {
    if (!tried || !ladder_.climbs(*tried->trial, tried->cost, seconds_left())) return false;
    keep(std::move(*tried));
    return true;
  }

  /// What groups did too much is taken back before the next groups are looked for.
  bool groups() {
    const bool kept = wide_groups();
    return without_some() || kept;
  }

  /// Tries the groups of several sites, those first that seem best at a glance; what is kept on the
  /// way changes the graph that the next ones are tried on. Tells whether something was kept, or
  /// there was no time to glance at all.
  bool wide_groups() {
    step_ = "groups of sites";
    struct Glanced {
      SiteGroup group;
      double behind = 0;
    };
    std::vector<Glanced> all;
    const double until = seconds() + kShareOfGlances * (options_.seconds - seconds());
    bool glanced_all = true;
    for (SiteGroup& group : groups_of(true)) {
      if (options_.seconds > 0 && seconds() > until && !all.empty()) {
        glanced_all = false;
        break;
      }
      auto tried = candidate(group);
      if (!tried) continue;
      const double behind = ladder_.glance(*tried->trial, tried->cost);
      if (Ladder::is_worth_a_climb(behind)) all.push_back({std::move(group), behind});
    }
    sort_by(all, [](const Glanced& one) { return one.behind; });
    bool kept = false;
    for (const Glanced& one : all) kept |= keep_if_better(candidate(one.group, !kept));
    return kept || !glanced_all;
  }

  /// Tries the best graph without the moves that a round made at one kind of site.
  bool without_some() {
    step_ = "taking moves back";
    bool kept = false;
    for (std::size_t round = 0; round < best_.rewritten.rounds().size(); ++round) {
      std::vector<Hash128> kinds = best_.rewritten.kinds()[round];
      std::ranges::sort(kinds);
      kinds.erase(std::ranges::unique(kinds).begin(), kinds.end());
      for (const Hash128& kind : kinds)
        if (round < best_.rewritten.rounds().size())
          kept |= keep_if_better(candidate(without(round, kind)));
    }
    return kept;
  }

  RewrittenGraph without(std::size_t round, const Hash128& kind) const {
    RewrittenGraph rewritten = first_;
    const std::vector<Round>& rounds = best_.rewritten.rounds();
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      for (std::size_t k = 0; k < rounds[i].size(); ++k)
        if (i != round || best_.rewritten.kinds()[i][k] != kind) rewritten.try_again(rounds[i][k]);
      rewritten.end_round();
    }
    return rewritten;
  }

  /// Tries the best graph with each of its parts rewritten on its own, through graphs that are
  /// dearer for a while. What is cheapest in its parts is seldom what a device runs fastest as a
  /// whole, so where trials decide there are better uses of the time.
  bool parts() {
    if (options_.judge || !options_.time_of || !options_.segment_cost) return false;
    step_ = "parts";
    const double alpha = options_.cost == RewriteCost::Sum ? 0 : ladder_.predicted().alpha();
    const double launch_us =
        options_.cost == RewriteCost::Mixed ? ladder_.predicted().launch_us() : 0;
    const SegmentCost cost = [&](const Graph& segment, const Surroundings& around) {
      if (++segment_costs_ % kSegmentsOfCandidate == 0) {
        ++candidates_;
        check_limits();
      }
      return options_.segment_cost(segment, around, alpha, launch_us);
    };
    PartitionedSearchOptions how;
    how.use_partition = options_.use_partition;
    how.segment.untidied = options_.untidied;
    how.segment.limits.pops = kSegmentPops;
    how.segment.limits.candidates = kSegmentCandidates;
    if (options_.seconds > 0)
      how.segment.limits.deadline =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                             (options_.seconds - seconds()) * kShareOfSegments));
    for (const SearchedRule& row : searched_rules())
      if (std::ranges::find(options_.disabled, row.rule.name) == options_.disabled.end())
        how.segment.rules.emplace_back(row.rule.name);
    const auto found =
        search_partitioned(best_.rewritten.graph(), options_.time_of, cost, how).found;
    if (!found) return false;
    RewrittenGraph rewritten = best_.rewritten;
    for (const Round& round : found->rounds) {
      for (const Move& move : round) rewritten.try_again(move);
      rewritten.end_round();
    }
    return keep_if_better(candidate(std::move(rewritten)));
  }

  /// Tries single sites in any order until one is kept whose like should be looked for, too.
  bool single_sites() {
    step_ = "single sites";
    std::vector<SiteGroup> groups = groups_of(false);
    std::ranges::shuffle(groups, random_);
    bool kept = false;
    for (const SiteGroup& group : groups) kept |= keep_if_better(candidate(group));
    return kept;
  }

  const GraphSearchOptions& options_;
  const OpenTrial& open_;
  std::mt19937_64 random_;
  Clock::time_point start_ = Clock::now();
  RewrittenGraph first_;  // what was given
  FoundGraph best_;
  Ladder ladder_;
  std::unordered_set<Hash128> seen_;
  std::int64_t candidates_ = 0;
  std::int64_t segment_costs_ = 0;
  std::string_view step_;
};

}  // namespace

FoundGraph search_rewriting(RewrittenGraph given, RewrittenGraph start,
                            std::unique_ptr<Trial> trial, const OpenTrial& open,
                            const GraphSearchOptions& options) {
  return GraphSearch(std::move(given), std::move(start), std::move(trial), open, options).run();
}

}  // namespace braid
