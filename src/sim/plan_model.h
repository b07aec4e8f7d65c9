#pragma once

#include "sim/draws.h"
#include "sim/ensemble.h"
#include "sim/plan_launches.h"
#include "sim/settings.h"

namespace braid::sim {

/// The nominal model of a GPU or a draw, with the kernels that the nodes of a graph launch there.
/// Not for several threads at once.
class PlanModel {
 public:
  PlanModel(const SimSettings& settings, const Graph& lowered, int draw);

  double time_us(const Plan& plan);
  /// The time of all nodes one after another, each in its first way.
  double alone_us() const { return alone_us_; }

 private:
  /// Also works out how long the nodes take alone.
  Simulator simulator(const SimSettings& settings, const Graph& lowered, int draw);

  double alone_us_ = 0;
  NodeKernels kernels_;
  Simulator simulator_;
};

/// The models of a row of draws.
std::vector<PlanModel> plan_models(const SimSettings& settings, const Graph& lowered, Draws draws);

}  // namespace braid::sim
