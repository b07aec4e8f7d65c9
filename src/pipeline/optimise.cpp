#include "pipeline/optimise.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/samples.h"
#include "base/text.h"
#include "cost/graph_cost.h"
#include "cost/node_costs.h"
#include "device/one_node.h"
#include "devices/open.h"
#include "graph/width.h"
#include "ops/call.h"
#include "optimise/search.h"
#include "pipeline/trials.h"
#include "rewrite/settle.h"

namespace braid {

std::string_view name(RewriteCost cost) {
  constexpr std::string_view names[] = {"sum", "critical-path", "mixed"};
  return names[static_cast<std::size_t>(cost)];
}

RewriteCost rewrite_cost_named(std::string_view text) {
  for (const RewriteCost cost : {RewriteCost::Sum, RewriteCost::CriticalPath, RewriteCost::Mixed})
    if (name(cost) == text) return cost;
  raise(ErrorKind::Usage,
        fmt::format("there is no cost {}; the costs are: sum critical-path mixed{}", quote(text),
                    did_you_mean(text, std::vector<std::string>{"sum", "critical-path", "mixed"})));
}

std::string_view name(OptimiseStop stop) {
  constexpr std::string_view names[] = {"budget", "candidates", "converged", "cancelled",
                                        "no-gain"};
  return names[static_cast<std::size_t>(stop)];
}

namespace {

using Clock = std::chrono::steady_clock;

// Of the time that there is, for the Plan of what was given, and as much for that of the result.
constexpr double kPlanShare = 1.0 / 6;
constexpr double kMostPlanSeconds = 10;
/// A search over graphs needs no better Plan than one of so many seconds to begin with.
constexpr double kFirstPlanSeconds = 2;
/// Without a clock: changes that a search of Plans tries.
constexpr int kPlanSteps = 2000;

/// A mean over models is above 1 with 95 % confidence if it is so many of its errors above.
constexpr double kSureErrors = 1.65;

OptimiseStop stop_of(SearchStop stop) {
  constexpr OptimiseStop stops[] = {OptimiseStop::Budget, OptimiseStop::Candidates,
                                    OptimiseStop::Converged, OptimiseStop::Cancelled};
  return stops[static_cast<std::size_t>(stop)];
}

void make_constants(const Graph& graph) {
  for (const ValueId id : graph.value_ids())
    if (graph.is_constant(id)) graph.value(id).constant.bytes();
}

bool holds_for_any_size(const std::vector<Round>& rounds) {
  return std::ranges::all_of(rounds, [](const Round& round) {
    return std::ranges::all_of(
        round, [](const Move& move) { return searched_rule(move.rule).for_any_size; });
  });
}

class Optimiser {
 public:
  Optimiser(std::shared_ptr<const Canonical> model, const Device& device,
            const PipelineOptions& options, const OptimiseOptions& how)
      : device_(device), options_(options), how_(how), untidied_(steps_without(device)) {
    result_.model = std::move(model);
    // A rewritten graph has operators of which no model knows how well this machine's kernels run
    // them.
    if (device.meter() != nullptr && how.verify && options.costs.costs.empty())
      options_.costs.measure = true;
    PlanOptions& plan = options_.plan;
    plan.thorough = true;
    if (plan.search_seconds > 0 || plan.search_steps > 0) return;
    if (how.seconds > 0)
      plan.search_seconds = std::min(kMostPlanSeconds, how.seconds * kPlanShare);
    else
      plan.search_steps = kPlanSteps;
  }

  Optimised run() {
    const double plan_seconds = options_.plan.search_seconds;
    options_.plan.search_seconds = std::min(plan_seconds, kFirstPlanSeconds);
    result_.before = plan_of(result_.model, {});
    options_.costs.remeasure = false;  // once is enough, for the graph as it is
    // Whatever is found runs beside what was given. Who learns only then has waited in vain.
    if (how_.verify && !device_.is_simulated())
      check_memory_of_both(result_.before, result_.before, device_, options_.quotas);
    const double planned_in = seconds();
    const bool plans_again = plan_seconds > kFirstPlanSeconds;
    const double later = plan_seconds - options_.plan.search_seconds + planned_in;
    FoundGraph found = search(how_.seconds - planned_in - (plans_again ? 2 : 1) * later);
    // Who cancels does not want to wait for better Plans.
    if (plans_again && found.stopped != SearchStop::Cancelled) {
      options_.plan.search_seconds = plan_seconds;
      result_.before = plan_of(result_.model, [&](const Graph&) { return result_.before.plan; });
    }
    result_.after = result_.before;
    if (found.rewritten.rounds().empty())
      give_back_input(result_, "no rewriting was found that is faster");
    else
      take(std::move(found));
    report();
    return std::move(result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// A Plan to begin with, of a lowered graph.
  using FirstPlan = std::function<std::optional<Plan>(const Graph& lowered)>;

  Planned plan_of(const std::shared_ptr<const Canonical>& model, const FirstPlan& first) {
    PipelineOptions options = options_;
    auto with_costs = costed(model, lowered(*model, device_, options), device_, options);
    if (first) options.plan.start = first(with_costs->lowered.graph);
    return planned(std::move(with_costs), device_, options);
  }

  /// Searches for so long, or a quarter of all the time, if there is a clock.
  FoundGraph search(double seconds_left) {
    const OpenTrial open = open_trials(device_, options_, &result_.before);
    const Graph& given = result_.model->graph;
    std::unique_ptr<Trial> trial = open(given, nullptr);
    const RewrittenGraph unchanged(given, rewrite_limits(given), untidied_);
    RewrittenGraph start = unchanged;
    if (!how_.start.empty()) {
      start.replay(how_.start);
      trial = open(start.graph(), trial.get());
    }
    GraphSearchOptions options;
    options.cost = how_.cost;
    options.judge = how_.verify;
    options.candidates = how_.candidates;
    options.seconds = std::max(seconds_left, how_.seconds / 4);
    options.disabled = how_.disabled;
    options.untidied = untidied_;
    options.seed = how_.seed;
    options.progress = options_.progress;
    options.use_partition = how_.use_partition;
    if (device_.spec().launches) {
      options.time_of = time_before_lowering(device_);
      options.segment_cost = segment_cost(device_);
    }
    FoundGraph found =
        search_rewriting(unchanged, std::move(start), std::move(trial), open, options);
    result_.report.candidates = found.candidates;
    result_.report.stopped = stop_of(found.stopped);
    // Who cancels the search wants what it found, and that still has to be planned and checked.
    if (found.stopped == SearchStop::Cancelled) options_.progress = {};
    result_.report.gains = found.gains;
    return found;
  }

  void take(FoundGraph found) {
    auto model = std::make_shared<Canonical>();
    model->graph = settled(found.rewritten.graph(), untidied_);
    model->steps = result_.model->steps;
    model->original = result_.model->original;
    make_constants(model->graph);
    const auto& trial = dynamic_cast<const DeviceTrial&>(*found.trial);
    Planned after = plan_of(model, [&](const Graph& lowered) { return trial.plan_for(lowered); });
    if (how_.verify) {
      if (device_.is_simulated())
        if (const auto why = numbers_differ(*model)) return give_back_input(result_, *why);
      if (const auto why =
              device_.is_simulated() ? not_faster_simulated(after) : not_faster_on_device(after))
        return give_back_input(result_, *why);
    }
    result_.report.reason =
        fmt::format("the search thought it {:.3f} times as fast as what was given", found.ratio);
    result_.model = std::move(model);
    result_.after = std::move(after);
    result_.rounds = found.rewritten.rounds();
    result_.for_any_size = holds_for_any_size(result_.rounds);
  }

  std::optional<std::string> numbers_differ(const Canonical& model) const;
  std::optional<std::string> not_faster_simulated(const Planned& after) const;
  std::optional<std::string> not_faster_on_device(const Planned& after);
  void report();

  const Device& device_;
  PipelineOptions options_;
  const OptimiseOptions& how_;
  std::vector<std::string> untidied_;
  Clock::time_point start_ = Clock::now();
  Optimised result_;
  std::optional<ContestResult> contest_;  // that the rewritten graph won
};

std::unique_ptr<Judge> judge_of(const Planned& planned, const Device& device) {
  return device.judge(planned.lowered(), planned.profile().costs, planned.profile().spec);
}

std::optional<std::string> Optimiser::numbers_differ(const Canonical& model) const {
  const std::unique_ptr<Device> cpu = open_device("cpu");
  const auto outputs_of = [&](const Graph& graph) {
    Canonical alone;
    alone.graph = graph;
    PipelineOptions options;
    options.quotas = options_.quotas;
    options.exact = true;
    auto shared = std::make_shared<const Canonical>(std::move(alone));
    auto with_costs = costed(shared, lowered(*shared, *cpu, options), *cpu, options);
    const Runnable ready = runnable(planned(std::move(with_costs), *cpu, options), *cpu, options);
    return braid::run(ready, random_inputs(graph));
  };
  std::string why =
      disagreement(model.graph, outputs_of(result_.before.graph()), outputs_of(model.graph));
  return why.empty() ? std::nullopt : std::optional(std::move(why));
}

std::optional<std::string> Optimiser::not_faster_simulated(const Planned& after) const {
  const auto before_judge = judge_of(result_.before, device_);
  const auto after_judge = judge_of(after, device_);
  const Plan& before_plan = result_.before.plan;
  const double seen =
      mean_log_ratio(before_judge->graph_us(before_plan), after_judge->graph_us(after.plan));
  const std::vector<double> unseen_before = before_judge->unseen_us(before_plan);
  const std::vector<double> unseen_after = after_judge->unseen_us(after.plan);
  const double unseen = mean_log_ratio(unseen_before, unseen_after);
  const double error = error_of_mean_log_ratio(unseen_before, unseen_after);
  if (std::min(seen, unseen) > kLeastKept && unseen > kSureErrors * error) return std::nullopt;
  return fmt::format(
      "the best rewriting found is not surely faster: {:.3f} times as fast in the "
      "models that compare graphs, {:.3f} ± {:.3f} times in others",
      std::exp(seen), std::exp(unseen), std::exp(unseen) * error);
}

std::optional<std::string> Optimiser::not_faster_on_device(const Planned& after) {
  const GraphContest contest = contest_of_graphs(result_.before, after, device_, options_);
  if (!contest.disagreement.empty()) return contest.disagreement;
  if (contest.times.champion_us.empty()) return "there was no time to run both by turns";
  ContestResult result = result_of(contest.times);
  if (!is_surely_faster(result.ratio))
    return fmt::format("the best rewriting found is not surely faster on {}: {}",
                       device_.spec().name, in_words(result));
  contest_ = result;
  return std::nullopt;
}

void Optimiser::report() {
  OptimiseReport& report = result_.report;
  report.simulated = device_.is_simulated();
  const Prediction before = predict(result_.before, device_);
  const Prediction after = predict(result_.after, device_);
  if (before.simulated) {
    report.time_ms = {before.simulated->band_us().median / 1e3,
                      after.simulated->band_us().median / 1e3};
    report.ratio_band = ratio_band(*before.simulated, *after.simulated);
  } else if (contest_) {
    report_times(report, *contest_);
  } else {
    report.time_ms = {before.timeline.end_us / 1e3, after.timeline.end_us / 1e3};
    report.ratio_band = {1, 1, 1};
  }
  report.predicted_us = {before.timeline.end_us, after.timeline.end_us};
  report.ratio = result_.rounds.empty() ? 1 : report.time_ms.before / report.time_ms.after;
  report.rules = rule_counts(result_.rounds);
  const auto figures = [&](const Planned& planned, double BeforeAfter::* side) {
    const NodeCosts costs(planned.lowered(), planned.profile().costs);
    report.critical_path_us.*side = bounds(planned, device_).critical_path_us;
    report.sum_us.*side = sum_us(planned.lowered(), costs);
    report.width.*side = static_cast<double>(width(planned.lowered(), counts_as_operator));
  };
  figures(result_.before, &BeforeAfter::before);
  figures(result_.after, &BeforeAfter::after);
  report.seconds = seconds();
}

}  // namespace

Optimised optimised(std::shared_ptr<const Canonical> model, const Device& device,
                    const PipelineOptions& options, const OptimiseOptions& how) {
  return Optimiser(std::move(model), device, options, how).run();
}

void give_back_input(Optimised& result, std::string why) {
  result.model = result.before.costed->canonical;
  result.rounds.clear();
  result.for_any_size = true;
  result.after = result.before;
  OptimiseReport& report = result.report;
  report.reason = std::move(why);
  if (report.stopped == OptimiseStop::Converged) report.stopped = OptimiseStop::NoGain;
  report.ratio = 1;
  report.ratio_band = {1, 1, 1};
  report.rules.clear();
  for (BeforeAfter* figure : {&report.time_ms, &report.predicted_us, &report.critical_path_us,
                              &report.sum_us, &report.width})
    figure->after = figure->before;
}

void report_times(OptimiseReport& report, const ContestResult& contest) {
  report.measured = true;
  report.time_ms = {contest.champion_ms, contest.challenger_ms};
  report.ratio = contest.champion_ms / contest.challenger_ms;
  report.ratio_band = contest.ratio_band;
}

}  // namespace braid
