#pragma once

#include <random>
#include <string>

#include "graph/graph.h"
#include "graph/hash.h"
#include "graph/order.h"
#include "plan/happens_before.h"
#include "plan/memory.h"
#include "plan/plan.h"
#include "plan/waits.h"

/// For tests: Plans that a seed decides.

namespace braid {

struct RandomPlanOptions {
  int streams = 3;
  int most_parts = 4;  ///< into which a node is cut, if it can be
  std::string device = "cpu";
};

/// Puts the steps of a lowered graph on random streams, cut at random, in topological order, with
/// the waits that the data need. The memory follows from these, so it too depends on the seed.
inline Plan random_plan(const Graph& lowered, std::uint64_t seed,
                        const RandomPlanOptions& options = {}) {
  std::mt19937_64 engine(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n));
  };
  Plan plan;
  plan.graph = hash(lowered, HashWeights::TypesOnly);
  plan.device = options.device;
  plan.scheduler = "random";
  plan.streams.resize(static_cast<std::size_t>(options.streams));
  for (const NodeId id : topological_order(lowered)) {
    const std::vector<Cut>& cuts = lowered.node(id).lowering.cuts;
    Step step;
    step.node = id;
    if (!cuts.empty() && below(3) > 0) {
      step.cut = cuts[static_cast<std::size_t>(below(static_cast<std::int64_t>(cuts.size())))];
      const TensorType& type = lowered.value(lowered.node(id).outputs[0]).type;
      step.parts = static_cast<std::int32_t>(
          1 + below(std::min<std::int64_t>(options.most_parts, most_parts(type, step.cut))));
      if (step.parts == 1) step.cut = {};
    }
    for (; step.part < step.parts; ++step.part)
      plan.streams[static_cast<std::size_t>(below(options.streams))].push_back(step);
  }
  add_data_waits(lowered, plan);
  reduce_waits(lowered, plan);
  place(lowered, plan);
  return plan;
}

}  // namespace braid
