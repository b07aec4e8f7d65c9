#include "schedule/matching.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace braid {
namespace {

struct Problem {
  BipartiteEdges edges;
  std::vector<std::vector<double>> weights;
  std::size_t right = 0;
};

Problem draw() {
  Problem problem;
  problem.right = *rc::gen::inRange<std::size_t>(1, 6);
  const auto left = *rc::gen::inRange<std::size_t>(1, 6);
  problem.edges.resize(left);
  problem.weights.resize(left);
  for (std::size_t u = 0; u < left; ++u)
    for (std::size_t v = 0; v < problem.right; ++v)
      if (*rc::gen::inRange(0, 2) == 1) {
        problem.edges[u].push_back(static_cast<std::int32_t>(v));
        problem.weights[u].push_back(*rc::gen::inRange(0, 9));
      }
  return problem;
}

struct Best {
  std::size_t pairs = 0;
  double weight = 0;
};

/// The best of all matchings, found by trying each.
Best best_of(const Problem& problem, std::size_t u, std::vector<bool>& used) {
  if (u == problem.edges.size()) return {};
  Best best = best_of(problem, u + 1, used);
  for (std::size_t e = 0; e < problem.edges[u].size(); ++e) {
    const auto v = static_cast<std::size_t>(problem.edges[u][e]);
    if (used[v]) continue;
    used[v] = true;
    Best with = best_of(problem, u + 1, used);
    used[v] = false;
    with = {with.pairs + 1, with.weight + problem.weights[u][e]};
    if (std::pair(with.pairs, with.weight) > std::pair(best.pairs, best.weight)) best = with;
  }
  return best;
}

/// The sum of weights of pairs that are edges, no right vertex twice.
double weight_of(const Problem& problem, const Matching& matching) {
  std::vector<bool> used(problem.right, false);
  double sum = 0;
  for (std::size_t u = 0; u < matching.size(); ++u) {
    if (matching[u] < 0) continue;
    const auto at = std::find(problem.edges[u].begin(), problem.edges[u].end(), matching[u]);
    RC_ASSERT(at != problem.edges[u].end());
    RC_ASSERT(!used[static_cast<std::size_t>(matching[u])]);
    used[static_cast<std::size_t>(matching[u])] = true;
    sum += problem.weights[u][static_cast<std::size_t>(at - problem.edges[u].begin())];
  }
  return sum;
}

RC_GTEST_PROP(Matching, MaximumHasAsManyPairsAsAnyOther, ()) {
  const Problem problem = draw();
  std::vector<bool> used(problem.right, false);
  const Matching matching = maximum_matching(problem.edges, problem.right);
  weight_of(problem, matching);
  RC_ASSERT(pairs(matching) == best_of(problem, 0, used).pairs);
}

RC_GTEST_PROP(Matching, HeaviestIsMaximumAndOutweighsAllOthers, ()) {
  const Problem problem = draw();
  std::vector<bool> used(problem.right, false);
  const Best best = best_of(problem, 0, used);
  const Matching matching =
      heaviest_maximum_matching(problem.edges, problem.weights, problem.right);
  RC_ASSERT(pairs(matching) == best.pairs);
  RC_ASSERT(weight_of(problem, matching) == best.weight);
}

}  // namespace
}  // namespace braid
