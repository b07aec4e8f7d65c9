#include "pipeline/trials.h"

#include <cmath>

#include "base/samples.h"
#include "cost/graph_cost.h"
#include "cost/node_costs.h"
#include "measure/glances.h"
#include "ops/catalog.h"
#include "pipeline/stages.h"

namespace braid {
namespace {

/// By how many models a change of the schedule is judged.
constexpr std::size_t kModelsOfSchedule = 2;
/// A schedule that is this much slower in the first is not tried in the others.
constexpr double kDoubtOfModel = 0.004;
/// A graph that is ahead by less, by operators that were measured a few times, may be so by luck.
constexpr double kNoiseOfGlances = 0.003;

TrialCost cost_of(const Graph& lowered, const CostModel& costs) {
  TrialCost cost{sum_us(lowered, costs), critical_path(lowered, costs).time_us};
  for (const NodeId node : lowered.node_ids())
    if (costs.cost(lowered, node).time_us > 0) cost.launches += 1;
  return cost;
}

/// On a device that launches: schedules are carried over from graph to graph, and judged by the
/// models that compare graphs.
class LaunchTrial : public DeviceTrial {
 public:
  LaunchTrial(const Device& device, const Graph& graph, const PipelineOptions& options,
              const LaunchTrial* like, const Planned* planned)
      : device_(device),
        lowered_(device.lower(graph, {.costs = device.modelled_costs()}).graph),
        costs_(lowered_, device.modelled_costs()),
        judge_(device.judge(lowered_, costs_, device.spec())) {
    schedule_.streams = options.plan.streams;
    schedule_.ways = device.ways(lowered_);
    if (like != nullptr)
      steps_ = like->steps_;
    else if (planned != nullptr)
      steps_ = named_steps(planned->lowered(), planned->plan);
  }

  TrialCost cost() const override { return cost_of(lowered_, costs_); }

  void improve(int steps, double seconds) override {
    begin();
    carry(steps, seconds);
  }

  std::vector<double> times_us(std::size_t models) override {
    begin();
    if (times_.size() < models) times_ = judge_->graph_us(plan_, models);
    return {times_.begin(),
            times_.begin() + static_cast<std::ptrdiff_t>(std::min(models, times_.size()))};
  }

  std::optional<Plan> plan_for(const Graph& lowered) const override {
    ScheduleOptions options = schedule_;
    options.ways = device_.ways(lowered);  // whose nodes have other ids
    return carried_over(steps_, lowered, costs_, device_.spec(), options);
  }

 private:
  /// Many a graph is given up for its cost, before it needs a schedule.
  void begin() {
    if (improved_ == 0) carry(0, 0);
  }

  void carry(int steps, double seconds) {
    ScheduleOptions options = schedule_;
    options.search_steps = steps;
    options.budget_seconds = seconds;
    options.seed = ++improved_;
    if (steps > 0) {
      const std::vector<double> now = judge_->graph_us(plan_, kModelsOfSchedule);
      options.evaluate = [this, now](const Plan& plan, double give_up_us) {
        return relative_us(plan, now, give_up_us);
      };
    } else {
      options.evaluate = [this](const Plan& plan, double) { return judge_->graph_us(plan, 1)[0]; };
    }
    plan_ = carried_over(steps_, lowered_, costs_, device_.spec(), options);
    steps_ = named_steps(lowered_, plan_);
    times_.clear();
  }

  /// The time in the first model, had the others changed by as much.
  double relative_us(const Plan& plan, const std::vector<double>& now, double give_up_us) {
    std::vector<double> times = judge_->graph_us(plan, 1);
    if (times[0] > give_up_us * (1 + kDoubtOfModel)) return times[0];
    for (const double time : judge_->graph_us(plan, kModelsOfSchedule - 1, 1))
      times.push_back(time);
    return now[0] * std::exp(mean_log_ratio(times, now));
  }

  const Device& device_;
  Graph lowered_;
  NodeCosts costs_;
  std::unique_ptr<Judge> judge_;
  ScheduleOptions schedule_;
  NamedSteps steps_;
  Plan plan_;
  std::vector<double> times_;
  std::uint64_t improved_ = 0;
};

/// On lanes: by the costs of operators and the lanes' simulator.
class LaneTrial : public DeviceTrial {
 public:
  LaneTrial(const Device& device, Graph lowered, Profile profile, const PipelineOptions& options)
      : lowered_(with_settled_cuts(std::move(lowered), profile)), profile_(std::move(profile)) {
    PlanOptions plan = options.plan;
    plan.thorough = false;
    plan.search_seconds = 0;
    plan.search_steps = 0;
    const std::vector<Constraint> none;
    const ChoiceSubject subject{lowered_, profile_, none, device};
    const Kept kept = choose(subject, plan, options.quotas, {});
    time_us_ =
        device.judge(lowered_, profile_.costs, profile_.spec)->time_us(kept.plan, kNeverGiveUp);
  }

  TrialCost cost() const override { return cost_of(lowered_, profile_.costs); }
  void improve(int /*steps*/, double /*seconds*/) override {}
  std::vector<double> times_us(std::size_t /*models*/) override { return {time_us_}; }
  std::optional<Plan> plan_for(const Graph& /*lowered*/) const override { return std::nullopt; }
  double noise() const override { return profile_.measured > 0 ? kNoiseOfGlances : 0; }

 private:
  Graph lowered_;
  Profile profile_;
  double time_us_ = 0;
};

/// What the trials of lanes go by: what is measured at a glance, or what is known already.
OpenTrial open_lane_trials(const Device& device, const PipelineOptions& options,
                           const Planned* planned) {
  std::shared_ptr<Glances> glances;
  ChooseWay choose;
  if (planned != nullptr) choose = choose_way(planned->graph(), device, options);
  if (planned != nullptr && options.costs.measure && device.meter() != nullptr)
    glances = std::make_shared<Glances>(device, planned->lowered(), planned->profile().costs);
  return [&device, &options, planned, glances, choose](const Graph& graph,
                                                       const Trial*) -> std::unique_ptr<Trial> {
    Graph lowered =
        device
            .lower(graph,
                   {.costs = device.modelled_costs(), .exact = options.exact, .choose = choose})
            .graph;
    if (!glances) {
      Profile known = profile(lowered, device, options.costs);
      return std::make_unique<LaneTrial>(device, std::move(lowered), std::move(known), options);
    }
    lowered = with_settled_cuts(std::move(lowered), planned->profile());
    // So short that a bar of its own would flicker.
    const Progress within_search = [&](std::string_view, std::int64_t, std::int64_t) {
      return !options.progress || options.progress("rewriting: measuring new operators", 0, 0);
    };
    Profile glanced{glances->costs(lowered, within_search), planned->profile().spec};
    glanced.measured = glanced.costs.entries().size();
    return std::make_unique<LaneTrial>(device, std::move(lowered), std::move(glanced), options);
  };
}

}  // namespace

WeightedSegmentCost segment_cost(const Device& device) {
  return
      [&device](const Graph& segment, const Surroundings& around, double alpha, double launch_us) {
        const CostModel& costs = device.modelled_costs();
        const Graph lowered = device.lower(segment, costs);
        double launches = 0;
        const NodeTime time_of = [&](const Graph& graph, NodeId id) {
          const double time_us = costs.cost(graph, id).time_us;
          if (time_us > 0) launches += 1;
          return time_us;
        };
        const double mixed_us = mixed_cost_us(lowered, time_of, around, alpha);
        return mixed_us + launch_us * launches;
      };
}

NodeTime time_before_lowering(const Device& device) {
  return [&device](const Graph& graph, NodeId id) {
    const OpDef* def = find_op(graph.node(id).op);
    const bool may_be_view = def != nullptr && def->elements != Elements::Computed &&
                             def->elements != Elements::Permuted;
    return may_be_view ? 0 : device.modelled_costs().cost(graph, id).time_us;
  };
}

OpenTrial open_trials(const Device& device, const PipelineOptions& options,
                      const Planned* planned) {
  if (!device.spec().launches) return open_lane_trials(device, options, planned);
  return [&device, &options, planned](const Graph& graph,
                                      const Trial* like) -> std::unique_ptr<Trial> {
    return std::make_unique<LaunchTrial>(device, graph, options,
                                         dynamic_cast<const LaunchTrial*>(like), planned);
  };
}

}  // namespace braid
