#include "sim/plan_model.h"

#include <atomic>

#include "sim/ensemble.h"

namespace braid::sim {
namespace {

std::atomic<std::int64_t> reported_draws = 0;

NodeKernels kernels_in(const SimSettings& settings, const Graph& lowered, int draw) {
  if (kReportedDraws.has(draw)) ++reported_draws;
  return node_kernels(*settings.ways, lowered, draw);
}

}  // namespace

PlanModel::PlanModel(const SimSettings& settings, const Graph& lowered, int draw)
    : kernels_(kernels_in(settings, lowered, draw)),
      simulator_(simulator(settings, lowered, draw)) {}

Simulator PlanModel::simulator(const SimSettings& settings, const Graph& lowered, int draw) {
  const Drawn model = drawn(settings.gpu, kernels_.kernels, draw);
  for (NodeId node : lowered.node_ids()) {
    const auto way = static_cast<std::size_t>(kernels_.ways[node.at()]);
    for (auto i = kernels_.first[way]; i < kernels_.first[way + 1]; ++i)
      alone_us_ += solo_us(model.gpu, model.kernels[static_cast<std::size_t>(i)]);
  }
  return simulator_of(model, draw, settings.engine);
}

double PlanModel::time_us(const Plan& plan) {
  return simulator_.time_us(slots_of(kernels_, plan).slots);
}

std::vector<PlanModel> plan_models(const SimSettings& settings, const Graph& lowered, Draws draws) {
  std::vector<PlanModel> models;
  for (int draw = draws.first; draw < draws.end(); ++draw)
    models.emplace_back(settings, lowered, draw);
  return models;
}

std::int64_t reported_draws_made() { return reported_draws; }

}  // namespace braid::sim
