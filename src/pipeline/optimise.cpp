#include "pipeline/optimise.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cost/graph_cost.h"
#include "cost/node_costs.h"
#include "device/one_node.h"
#include "devices/open.h"
#include "graph/width.h"
#include "ops/call.h"
#include "optimise/search.h"
#include "pipeline/trials.h"
#include "rewrite/canonical/number_check.h"
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
        fmt::format("there is no cost {}; the costs are: sum critical-path mixed", quote(text)));
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
/// Without a clock: changes that a search of Plans tries.
constexpr int kPlanSteps = 2000;
/// What is ahead by less comes out slower as often as not.
constexpr double kLeastKept = 0.004;
constexpr double kTolerance = 1e-4;

double mean_log_ratio(const std::vector<double>& times, const std::vector<double>& others) {
  double sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) sum += std::log(times[i] / others[i]);
  return times.empty() ? 0 : sum / static_cast<double>(times.size());
}

SearchCost search_cost(RewriteCost cost) {
  constexpr SearchCost costs[] = {SearchCost::Sum, SearchCost::CriticalPath, SearchCost::Mixed};
  return costs[static_cast<std::size_t>(cost)];
}

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
      : device_(device), options_(options), how_(how) {
    result_.model = std::move(model);
    for (const OmittedStep& step : device.omitted_steps()) untidied_.emplace_back(step.name);
    PlanOptions& plan = options_.plan;
    plan.thorough = true;
    if (plan.search_seconds > 0 || plan.search_steps > 0) return;
    if (how.seconds > 0)
      plan.search_seconds = std::min(kMostPlanSeconds, how.seconds * kPlanShare);
    else
      plan.search_steps = kPlanSteps;
  }

  Optimised run() {
    result_.before = plan_of(result_.model, nullptr);
    result_.after = result_.before;
    search();
    report();
    return std::move(result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  Planned plan_of(const std::shared_ptr<const Canonical>& model, const DeviceTrial* trial) {
    PipelineOptions options = options_;
    auto with_costs = costed(model, lowered(*model, device_, options), device_, options);
    if (trial != nullptr) options.plan.start = trial->plan_for(with_costs->lowered.graph);
    return planned(std::move(with_costs), device_, options);
  }

  void search() {
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
    options.cost = search_cost(how_.cost);
    options.judge = how_.verify;
    options.candidates = how_.candidates;
    if (how_.seconds > 0)
      options.seconds =
          std::max(how_.seconds - seconds() - options_.plan.search_seconds, how_.seconds / 4);
    else
      options.seconds = 0;
    options.disabled = how_.disabled;
    options.untidied = untidied_;
    options.seed = how_.seed;
    options.progress = options_.progress;
    FoundGraph found =
        search_rewriting(unchanged, std::move(start), std::move(trial), open, options);
    result_.report.candidates = found.candidates;
    result_.report.stopped = stop_of(found.stopped);
    // Who cancels the search wants what it found, and that still has to be planned and checked.
    if (found.stopped == SearchStop::Cancelled) options_.progress = {};
    for (const SearchGain& gain : found.gains)
      result_.report.gains.push_back({gain.seconds, gain.candidates, gain.ratio});
    if (found.rewritten.rounds().empty()) {
      give_back("no rewriting was found that is faster");
      return;
    }
    take(std::move(found));
  }

  void give_back(std::string why) {
    result_.report.reason = std::move(why);
    if (result_.report.stopped == OptimiseStop::Converged)
      result_.report.stopped = OptimiseStop::NoGain;
  }

  void take(FoundGraph found) {
    auto model = std::make_shared<Canonical>();
    model->graph = settled(found.rewritten.graph(), untidied_);
    model->steps = result_.model->steps;
    model->original = result_.model->original;
    make_constants(model->graph);
    Planned after = plan_of(model, &dynamic_cast<DeviceTrial&>(*found.trial));
    if (how_.verify) {
      if (const auto why = numbers_differ(*model)) return give_back(*why);
      if (const auto why = not_faster(after)) return give_back(*why);
    }
    result_.report.reason =
        fmt::format("the search thought it {:.3f} times as fast as what was given", found.ratio);
    result_.model = std::move(model);
    result_.after = std::move(after);
    result_.rounds = found.rewritten.rounds();
    result_.for_any_size = holds_for_any_size(result_.rounds);
  }

  std::optional<std::string> numbers_differ(const Canonical& model) const;
  std::optional<std::string> not_faster(const Planned& after) const;
  void report();

  const Device& device_;
  PipelineOptions options_;
  const OptimiseOptions& how_;
  std::vector<std::string> untidied_;
  Clock::time_point start_ = Clock::now();
  Optimised result_;
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
    options.progress = options_.progress;
    auto shared = std::make_shared<const Canonical>(std::move(alone));
    auto with_costs = costed(shared, lowered(*shared, *cpu, options), *cpu, options);
    const Runnable ready = runnable(planned(std::move(with_costs), *cpu, options), *cpu, options);
    return braid::run(ready, random_inputs(graph));
  };
  const std::vector<Tensor> expected = outputs_of(result_.before.graph());
  const std::vector<Tensor> got = outputs_of(model.graph);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (const double difference = relative_difference(expected[i], got[i]); difference > kTolerance)
      return fmt::format(
          "the rewritten graph gave other numbers: output {} differs by {:.2g} of "
          "its largest element",
          quote(model.graph.outputs()[i].name), difference);
  return std::nullopt;
}

std::optional<std::string> Optimiser::not_faster(const Planned& after) const {
  if (!device_.is_simulated()) return std::nullopt;
  const auto before_judge = judge_of(result_.before, device_);
  const auto after_judge = judge_of(after, device_);
  const Plan& before_plan = result_.before.plan;
  const double seen =
      mean_log_ratio(before_judge->graph_us(before_plan), after_judge->graph_us(after.plan));
  const double unseen =
      mean_log_ratio(before_judge->unseen_us(before_plan), after_judge->unseen_us(after.plan));
  if (std::min(seen, unseen) > kLeastKept) return std::nullopt;
  return fmt::format(
      "the best rewriting found is not surely faster: {:.3f} times as fast in the "
      "models that compare graphs, {:.3f} times in others",
      std::exp(seen), std::exp(unseen));
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
  } else {
    report.time_ms = {before.timeline.end_us / 1e3, after.timeline.end_us / 1e3};
  }
  report.ratio = report.time_ms.before / report.time_ms.after;
  report.rules = rule_counts(result_.rounds);
  const auto figures = [&](const Planned& planned, double BeforeAfter::* side) {
    const NodeCosts costs(planned.lowered(), planned.profile().costs);
    report.critical_path_us.*side = critical_path(planned.lowered(), costs).time_us;
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

}  // namespace braid
