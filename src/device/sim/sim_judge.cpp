#include "device/sim/sim_judge.h"

#include <optional>

#include "device/sim/gpu_bounds.h"
#include "plan/traced_timeline.h"
#include "sim/ensemble.h"
#include "sim/plan_launches.h"

namespace braid::sim {
namespace {

/// Models of a search that differ from the nominal one.
constexpr int kSearchDraws = 8;
/// A Plan whose mean over the first models seems to be this much above the limit is given up.
constexpr double kDoubt = 0.002;

class SearchJudge {
 public:
  SearchJudge(const SimSettings& settings, const NodeKernels& kernels) : kernels_(kernels) {
    add_model(settings, 0);
    for (int i = 0; i < kSearchDraws; ++i) add_model(settings, kFirstSearchDraw + i);
    known_.assign(models_.size(), 1);
  }

  double operator()(const Plan& plan, double limit_us) {
    const Slots slots = slots_of(kernels_, plan).slots;
    std::vector<double> times;
    double sum = 0;
    double known = 0;
    double known_all = 0;
    for (double time : known_) known_all += time;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      times.push_back(models_[i].simulator.time_us(slots) * models_[i].scale);
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
  struct Model {
    Simulator simulator;
    double scale = 1;  ///< the nominal model's time of all kernels alone over this one's
  };

  void add_model(const SimSettings& settings, int draw) {
    double nominal_us = 0;
    double drawn_us = 0;
    const GpuSpec gpu = draw == 0 ? settings.gpu : perturbed(settings.gpu, draw);
    for (const Kernel& kernel : kernels_.kernels) {
      nominal_us += solo_us(settings.gpu, kernel);
      drawn_us += solo_us(gpu, draw == 0 ? kernel : perturbed(settings.gpu, kernel, draw));
    }
    models_.push_back({simulator_of(settings.gpu, kernels_.kernels, draw, settings.engine),
                       drawn_us > 0 ? nominal_us / drawn_us : 1});
  }

  const NodeKernels& kernels_;
  std::vector<Model> models_;
  std::vector<double> known_;  // times of the last Plan that was within its limit
};

/// The times of a Plan in models that no search sees.
class UnseenModels {
 public:
  UnseenModels(const SimSettings& settings, const NodeKernels& kernels) : kernels_(kernels) {
    for (int draw = kFirstChoiceDraw; draw < kFirstChoiceDraw + kChoiceDraws; ++draw)
      models_.push_back(simulator_of(settings.gpu, kernels_.kernels, draw, settings.engine));
  }

  std::vector<double> times_us(const Plan& plan) {
    const Slots slots = slots_of(kernels_, plan).slots;
    std::vector<double> times;
    for (Simulator& model : models_) times.push_back(model.time_us(slots));
    return times;
  }

 private:
  const NodeKernels& kernels_;
  std::vector<Simulator> models_;
};

/// Models are made when they are first asked.
class SimJudge : public Judge {
 public:
  SimJudge(const SimSettings& settings, const Graph& lowered)
      : settings_(settings), lowered_(lowered), kernels_(node_kernels(*settings.ways, lowered)) {}

  double time_us(const Plan& plan, double give_up_us) override {
    if (!search_) search_.emplace(settings_, kernels_);
    return (*search_)(plan, give_up_us);
  }
  bool knows_unseen_models() const override { return true; }
  std::vector<double> unseen_us(const Plan& plan) override {
    if (!unseen_) unseen_.emplace(settings_, kernels_);
    return unseen_->times_us(plan);
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
  NodeKernels kernels_;
  std::optional<SearchJudge> search_;
  std::optional<UnseenModels> unseen_;
};

}  // namespace

std::unique_ptr<Judge> make_judge(const SimSettings& settings, const Graph& lowered) {
  return std::make_unique<SimJudge>(settings, lowered);
}

}  // namespace braid::sim
