#include "schedule/stages.h"

#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "schedule/stage_blocks.h"

namespace braid {
namespace {

StageProblem problem_with(std::size_t units, const std::vector<std::pair<int, int>>& edges) {
  StageProblem problem;
  problem.after.resize(units);
  problem.before.resize(units);
  for (std::size_t i = 0; i < units; ++i) problem.costs.push_back({1, 0, 0});
  for (const auto& [from, to] : edges) {
    problem.after[static_cast<std::size_t>(from)] |= UnitSet{1} << to;
    problem.before[static_cast<std::size_t>(to)] |= UnitSet{1} << from;
  }
  problem.streams = 10;
  return problem;
}

/// One convolution; one and two after it; two in a row and two after them; a pool and one after it;
/// all joined.
StageProblem inception_e() {
  return problem_with(11, {{1, 2},
                           {1, 3},
                           {4, 5},
                           {5, 6},
                           {5, 7},
                           {8, 9},
                           {0, 10},
                           {2, 10},
                           {3, 10},
                           {6, 10},
                           {7, 10},
                           {9, 10}});
}

StageLimits no_limits() { return {.group_units = 64, .groups = 64}; }

TEST(Stages, OfAnInceptionBlockAreAsManyAsCountedElsewhere) {
  const StageProblem problem = inception_e();
  const auto all = best_stages(problem, no_limits());
  EXPECT_EQ(all->states, 180);
  EXPECT_EQ(all->transitions, 5040);
  EXPECT_EQ(best_stages(problem, {.group_units = 3, .groups = 8})->transitions, 4631);
  EXPECT_EQ(best_stages(problem, {.group_units = 1, .groups = 8})->transitions, 1966);
}

TEST(Stages, GiveUpAtTheLimitOfTransitions) {
  StageLimits limits = no_limits();
  limits.transitions = 1000;
  EXPECT_FALSE(best_stages(inception_e(), limits).has_value());
}

TEST(Stages, APairWithTwoSourcesIsOneGroupUnlessForbidden) {
  // a → c ← b beside a long d: c can run in the stage of a and b only as one group.
  StageProblem problem = problem_with(4, {{0, 2}, {1, 2}});
  problem.costs[3].time_us = 3;
  problem.barrier_us = 10;
  EXPECT_DOUBLE_EQ(best_stages(problem, {})->time_us, 6);  // one stream, no barrier
  problem.barrier_us = 1;
  EXPECT_DOUBLE_EQ(best_stages(problem, {})->time_us, 4);
  EXPECT_EQ(best_stages(problem, {})->stages.size(), 1);
  EXPECT_DOUBLE_EQ(best_stages(problem, {.single_source = true})->time_us, 5);
}

/// The least time of all sequences of stages, found without remembering anything.
double brute_force(const StageProblem& problem, const StageLimits& limits, UnitSet left) {
  if (left == 0) return 0;
  double best = 1e300;
  for (UnitSet ending = left; ending != 0; ending = (ending - 1) & left) {
    bool closed = true;
    std::vector<UnitSet> groups;
    for (std::size_t unit = 0; unit < problem.units(); ++unit) {
      if ((ending >> unit & 1) == 0) continue;
      closed = closed && (problem.after[unit] & left & ~ending) == 0;
      UnitSet own = UnitSet{1} << unit;
      std::vector<UnitSet> others;
      for (UnitSet group : groups)
        if (((problem.before[unit] | problem.after[unit]) & group) != 0)
          own |= group;
        else
          others.push_back(group);
      others.push_back(own);
      groups = others;
    }
    bool allowed = closed && groups.size() <= static_cast<std::size_t>(limits.groups);
    for (UnitSet group : groups) allowed = allowed && std::popcount(group) <= limits.group_units;
    if (!allowed) continue;
    best = std::min(best, brute_force(problem, limits, left & ~ending) +
                              stage_us(problem, on_streams(problem, groups)));
  }
  return best;
}

TEST(Stages, AreAsGoodAsAnyOnSmallGraphs) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const std::size_t units = 3 + random() % 4;
    std::vector<std::pair<int, int>> edges;
    for (int to = 1; to < static_cast<int>(units); ++to)
      for (int from = 0; from < to; ++from)
        if (random() % 3 == 0) edges.emplace_back(from, to);
    StageProblem problem = problem_with(units, edges);
    for (Cost& cost : problem.costs)
      cost = {static_cast<double>(1 + random() % 20), 0.1 * static_cast<double>(random() % 8),
              0.1 * static_cast<double>(random() % 8)};
    problem.barrier_us = static_cast<double>(random() % 4);
    problem.streams = 1 + static_cast<int>(random() % 3);
    const StageLimits limits{.group_units = 1 + static_cast<int>(random() % 3),
                             .groups = 1 + static_cast<int>(random() % 3)};
    const auto found = best_stages(problem, limits);
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR(found->time_us, brute_force(problem, limits, (UnitSet{1} << units) - 1), 1e-9);
    double sum = 0;
    UnitSet all = 0;
    for (const auto& stage : found->stages) {
      sum += stage_us(problem, stage);
      for (UnitSet units_of_stream : stage) all |= units_of_stream;
    }
    EXPECT_NEAR(sum, found->time_us, 1e-9);
    EXPECT_EQ(all, (UnitSet{1} << units) - 1);
  }
}

/// Two tasks that are cheap side by side by their costs.
TaskGraph two_tasks() {
  TaskGraph tasks;
  tasks.nodes.resize(2);
  tasks.before.resize(2);
  tasks.after.resize(2);
  return tasks;
}

TEST(StageBlocks, FollowWhatIsMeasured) {
  const std::vector<Cost> costs(2, Cost{1, 0, 0});
  StageOptions options{.streams = 10};
  EXPECT_EQ(stages_of(two_tasks(), costs, options).size(), 1);
  options.measure = [](const TaskStage& stage) { return stage.size() > 1 ? 5.0 : 1.0; };
  EXPECT_EQ(stages_of(two_tasks(), costs, options).size(), 2);
}

TEST(StageBlocks, HaveAsManyGroupsAsAllowed) {
  const std::vector<Cost> costs(2, Cost{1, 0, 0});
  StageOptions options{.streams = 10};
  options.groups = 1;
  EXPECT_EQ(stages_of(two_tasks(), costs, options).size(), 2);
}

}  // namespace
}  // namespace braid
