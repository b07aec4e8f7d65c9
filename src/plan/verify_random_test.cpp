#include <algorithm>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/hash.h"
#include "graph/order.h"
#include "graph/text.h"
#include "plan/accesses.h"
#include "plan/happens_before.h"
#include "plan/memory.h"
#include "plan/testing/legal_orders.h"
#include "plan/testing/random_views.h"
#include "plan/verify.h"

namespace braid {
namespace {

StreamId stream(std::size_t s) { return StreamId(static_cast<std::int64_t>(s)); }
Step& at(Plan& plan, StepRef ref) {
  return plan.streams[ref.stream.at()][static_cast<std::size_t>(ref.index)];
}

std::vector<StepRef> all_steps(const Plan& plan) {
  std::vector<StepRef> steps;
  for (std::size_t s = 0; s < plan.streams.size(); ++s)
    for (std::size_t i = 0; i < plan.streams[s].size(); ++i)
      steps.push_back({stream(s), static_cast<std::int32_t>(i)});
  return steps;
}

/// Steps on random streams, with the waits that data need and perhaps some more.
Plan random_streams(Dice& dice, const Graph& graph) {
  Plan plan;
  plan.graph = hash(graph, HashWeights::TypesOnly);
  plan.streams.resize(1 + dice.below(3));
  for (NodeId id : topological_order(graph)) {
    const Node& node = graph.node(id);
    Step step;
    step.node = id;
    if (!node.lowering.cuts.empty() && dice.one_in(2)) {
      step.parts = 2;
      step.cut = node.lowering.cuts[0];
    }
    const std::vector<StepRef> earlier = all_steps(plan);
    for (; step.part < step.parts; ++step.part)
      plan.streams[dice.below(plan.streams.size())].push_back(step);
    const Accesses accesses(graph, plan);
    for (StepRef ref : accesses.steps(id)) {
      for (ValueId input : node.inputs)
        for (StepRef writer : accesses.writers(input)) at(plan, ref).waits.push_back(writer);
      if (!earlier.empty() && dice.one_in(3)) at(plan, ref).waits.push_back(dice.pick(earlier));
    }
  }
  if (!dice.one_in(4)) reduce_waits(graph, plan);
  return plan;
}

struct Case {
  Graph graph;
  Plan plan;
};

/// A random graph and Plan; if views contradict one another, all of them become copies.
Case random_case(Dice& dice) {
  Graph graph = random_graph(dice);
  for (;;) {
    Plan plan = random_streams(dice, graph);
    try {
      place(graph, plan);
      return {std::move(graph), std::move(plan)};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Unsupported) throw;
      for (NodeId id : graph.node_ids())
        if (is_view(graph.node(id))) graph.set_lowering(id, {"copy", 0, {}});
    }
  }
}

using Mutation = bool (*)(Dice&, const Graph&, Plan&);  // false: there was nothing to change

bool remove_wait(Dice& dice, const Graph& /*graph*/, Plan& plan) {
  std::vector<StepRef> candidates = all_steps(plan);
  std::erase_if(candidates, [&](StepRef ref) { return at(plan, ref).waits.empty(); });
  if (candidates.empty()) return false;
  auto& waits = at(plan, dice.pick(candidates)).waits;
  waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(dice.below(waits.size())));
  return true;
}

bool move_wait(Dice& dice, const Graph& /*graph*/, Plan& plan) {
  const auto steps = all_steps(plan);
  auto& waits = at(plan, dice.pick(steps)).waits;
  if (waits.empty()) return false;
  waits[dice.below(waits.size())] = dice.pick(steps);
  return true;
}

bool add_wait(Dice& dice, const Graph& /*graph*/, Plan& plan) {
  const auto steps = all_steps(plan);
  at(plan, dice.pick(steps)).waits.push_back(dice.pick(steps));
  return true;
}

bool swap_steps(Dice& dice, const Graph& /*graph*/, Plan& plan) {
  const auto steps = all_steps(plan);
  Step& a = at(plan, dice.pick(steps));
  Step& b = at(plan, dice.pick(steps));
  if (&a == &b) return false;
  std::swap(a, b);
  if (dice.one_in(2)) std::swap(a.waits, b.waits);
  return true;
}

bool shift_value(Dice& dice, const Graph& graph, Plan& plan) {
  std::vector<ValueId> placed = graph.value_ids();
  std::erase_if(placed, [&](ValueId v) { return !lives_in_arena(graph, v); });
  if (placed.empty()) return false;
  Placement& place = plan.placements[dice.pick(placed).at()];
  const auto offset = static_cast<std::int64_t>(64 * dice.below(8));
  if (offset == place.offset) return false;
  place.offset = offset;
  plan.arena_bytes += 1024;
  return true;
}

/// Two values of two rows take turns in one buffer, row by row.
bool interleave_values(Dice& dice, const Graph& graph, Plan& plan) {
  std::map<Dims, std::vector<ValueId>> alike;
  for (ValueId value : graph.value_ids())
    if (const Dims& dims = graph.value(value).type.dims;
        lives_in_arena(graph, value) && dims.size() == 2 && dims[0] == 2)
      alike[graph.value(value).type.dims].push_back(value);
  for (const auto& [dims, values] : alike) {
    if (values.size() < 2) continue;
    const std::size_t first = dice.below(values.size() - 1);
    const std::int64_t row = dims[1] * 4;
    const auto base = static_cast<std::int64_t>(64 * dice.below(4));
    plan.placements[values[first].at()] = {base, {2 * row, 4}};
    plan.placements[values[first + 1].at()] = {base + (dice.one_in(4) ? 0 : row), {2 * row, 4}};
    plan.arena_bytes += 1024;
    return true;
  }
  return false;
}

bool shift_scratch(Dice& dice, const Graph& /*graph*/, Plan& plan) {
  std::vector<StepRef> candidates = all_steps(plan);
  std::erase_if(candidates, [&](StepRef ref) { return at(plan, ref).scratch_offset < 0; });
  if (candidates.empty()) return false;
  at(plan, dice.pick(candidates)).scratch_offset = static_cast<std::int64_t>(64 * dice.below(6));
  plan.arena_bytes += 1024;
  return true;
}

constexpr std::array<Mutation, 7> kMutations = {
    remove_wait, move_wait, add_wait, swap_steps, shift_value, interleave_values, shift_scratch};

std::string refusal(const Graph& graph, const Plan& plan) {
  try {
    verify(graph, plan);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model) << error.what();
    return error.what();
  }
}

std::string show(const Graph& graph, const Plan& plan) {
  std::string text = print(graph, {.types = true});
  for (StepRef ref : all_steps(plan)) {
    const Step& step = step_at(plan, ref);
    text += fmt::format("{} scratch {} after", describe(graph, plan, ref), step.scratch_offset);
    for (StepRef wait : step.waits) text += fmt::format(" [{}][{}]", wait.stream.index, wait.index);
    text += "\n";
  }
  for (ValueId value : graph.value_ids()) {
    const Placement& place = plan.placements[value.at()];
    text += fmt::format("{} at {} {}\n", graph.value(value).name, place.offset,
                        to_string(Dims(place.strides)));
  }
  return text;
}

constexpr std::uint64_t kSeed = 20240229;

TEST(VerifyRandomPlans, AcceptsWhatEveryLegalOrderComputesRightly) {
  for (std::uint64_t n = 0; n < 600; ++n) {
    Dice dice(kSeed + n);
    const Case c = random_case(dice);
    ASSERT_EQ(refusal(c.graph, c.plan), "") << "seed " << kSeed + n << "\n"
                                            << show(c.graph, c.plan);
    ASSERT_EQ(harm_of(c.graph, c.plan), Harm::None) << "seed " << kSeed + n << "\n"
                                                    << show(c.graph, c.plan);
  }
}

TEST(VerifyRandomPlans, RefusesAMutationExactlyIfSomeLegalOrderIsHarmed) {
  std::map<Harm, int> harms;
  for (std::uint64_t n = 0; n < 4000; ++n) {
    const std::uint64_t seed = kSeed + 1'000'000 + n;
    Dice dice(seed);
    Case c = random_case(dice);
    if (!kMutations[n % kMutations.size()](dice, c.graph, c.plan)) continue;
    const Harm harm = harm_of(c.graph, c.plan);
    const std::string refused = refusal(c.graph, c.plan);
    ++harms[harm];
    ASSERT_EQ(harm != Harm::None, !refused.empty()) << "seed " << seed << ": " << refused << "\n"
                                                    << show(c.graph, c.plan);
  }
  // Each outcome comes often enough to mean something.
  EXPECT_GT(harms[Harm::None], 500);
  EXPECT_GT(harms[Harm::WrongResult], 500);
  EXPECT_GT(harms[Harm::Deadlock], 100);
}

TEST(VerifyRandomPlans, RefusesAStepThatIsMissingOrStandsTwice) {
  for (std::uint64_t n = 0; n < 300; ++n) {
    const std::uint64_t seed = kSeed + 2'000'000 + n;
    Dice dice(seed);
    Case c = random_case(dice);
    auto& steps = c.plan.streams[dice.below(c.plan.streams.size())];
    if (steps.empty()) continue;
    // The step is added or dropped at the end of its stream, so that no wait has to move.
    if (n % 2 == 0)
      steps.push_back(steps[dice.below(steps.size())]);
    else
      steps.pop_back();
    EXPECT_NE(refusal(c.graph, c.plan), "") << "seed " << seed << "\n" << show(c.graph, c.plan);
  }
}

}  // namespace
}  // namespace braid
