#include "device/sim/sim_judge.h"

#include <algorithm>
#include <optional>

#include "device/sim/gpu_bounds.h"
#include "plan/traced_timeline.h"

namespace braid::sim {
namespace {

/// A Plan whose mean over the first models seems to be this much above the limit is given up.
constexpr double kDoubt = 0.002;

/// The mean over the nominal model and the draws of searches, each in proportion to what the
/// graph's kernels alone take there.
class SearchModels {
 public:
  SearchModels(const SimSettings& settings, const Graph& lowered) {
    models_.emplace_back(settings, lowered, 0);
    for (PlanModel& model : plan_models(settings, lowered, kSearchDraws))
      models_.push_back(std::move(model));
    for (const PlanModel& model : models_)
      scales_.push_back(model.alone_us() > 0 ? models_[0].alone_us() / model.alone_us() : 1);
    known_.assign(models_.size(), 1);
  }

  double time_us(const Plan& plan, double limit_us) {
    std::vector<double> times;
    double sum = 0;
    double known = 0;
    double known_all = 0;
    for (double time : known_) known_all += time;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      times.push_back(models_[i].time_us(plan) * scales_[i]);
      sum += times[i];
      known += known_[i];
      const double mean = sum / known * known_all / static_cast<double>(models_.size());
      if (mean > limit_us * (1 + kDoubt)) return mean;
    }
    const double mean = sum / static_cast<double>(models_.size());
    if (mean <= limit_us) known_ = std::move(times);
    return mean;
  }

 private:
  std::vector<PlanModel> models_;
  std::vector<double> scales_;
  std::vector<double> known_;  // times of the last Plan that was within its limit
};

/// The times of Plans in the models of a row of draws, as they are. Models are made when they are
/// first asked.
class RawModels {
 public:
  RawModels(const SimSettings& settings, const Graph& lowered, Draws draws)
      : settings_(settings), lowered_(lowered), draws_(draws) {}

  std::vector<double> times_us(const Plan& plan, std::size_t most, std::size_t from) {
    const std::size_t end = std::min(from + most, static_cast<std::size_t>(draws_.count));
    while (models_.size() < end)
      models_.emplace_back(settings_, lowered_, draws_.first + static_cast<int>(models_.size()));
    std::vector<double> times;
    for (std::size_t i = from; i < end; ++i) times.push_back(models_[i].time_us(plan));
    return times;
  }

 private:
  const SimSettings& settings_;
  const Graph& lowered_;
  Draws draws_;
  std::vector<PlanModel> models_;
};

/// Models are made when they are first asked.
class SimJudge : public Judge {
 public:
  SimJudge(const SimSettings& settings, const Graph& lowered)
      : settings_(settings), lowered_(lowered) {}

  double time_us(const Plan& plan, double give_up_us) override {
    if (!search_) search_.emplace(settings_, lowered_);
    return search_->time_us(plan, give_up_us);
  }
  bool knows_unseen_models() const override { return true; }
  std::vector<double> unseen_us(const Plan& plan) override {
    if (!unseen_) unseen_.emplace(settings_, lowered_, kChoiceDraws);
    return unseen_->times_us(plan, kAllModels, 0);
  }
  std::vector<double> graph_us(const Plan& plan, std::size_t most, std::size_t from) override {
    if (!graphs_) graphs_.emplace(settings_, lowered_, kGraphDraws);
    return graphs_->times_us(plan, most, from);
  }
  Prediction predict(const Plan& plan) override {
    Trace trace;
    Prediction prediction;
    prediction.simulated = make_program(settings_, lowered_, plan)->simulate(&trace);
    prediction.timeline = traced_timeline(lowered_, plan, trace);
    prediction.timeline.end_us = prediction.simulated->nominal_us;
    return prediction;
  }
  Bounds bounds() override { return gpu_bounds(settings_, lowered_); }

 private:
  const SimSettings& settings_;
  const Graph& lowered_;
  std::optional<SearchModels> search_;
  std::optional<RawModels> unseen_;
  std::optional<RawModels> graphs_;
};

}  // namespace

std::unique_ptr<Judge> make_judge(const SimSettings& settings, const Graph& lowered) {
  return std::make_unique<SimJudge>(settings, lowered);
}

}  // namespace braid::sim
