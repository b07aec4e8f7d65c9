#include "sim/plan_model.h"

#include "sim/ensemble.h"

namespace braid::sim {

PlanModel::PlanModel(const SimSettings& settings, const Graph& lowered, int draw)
    : kernels_(node_kernels(*settings.ways, lowered, draw)),
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

}  // namespace braid::sim
