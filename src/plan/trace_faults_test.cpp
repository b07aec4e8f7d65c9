#include "plan/trace_faults.h"

#include <algorithm>
#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"
#include "plan/testing/random_plan.h"
#include "plan/testing/random_views.h"
#include "plan/verify.h"

namespace braid {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// A run in which every step begins as soon as its stream and its waits let it. The Plan need not
/// be a good one; what waits for itself never begins.
Trace played(const Graph& graph, const Plan& plan, Dice& dice) {
  Trace trace;
  std::vector<std::vector<double>> ended(plan.streams.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < plan.streams.size(); ++s) {
      if (ended[s].size() == plan.streams[s].size()) continue;
      const Step& step = plan.streams[s][ended[s].size()];
      double begin = ended[s].empty() ? 0 : ended[s].back();
      const auto is_open = [&](StepRef wait) {
        return ended[wait.stream.at()].size() <= static_cast<std::size_t>(wait.index);
      };
      if (std::ranges::any_of(step.waits, is_open)) continue;
      for (const StepRef wait : step.waits)
        begin = std::max(begin, ended[wait.stream.at()][static_cast<std::size_t>(wait.index)]);
      const bool view = is_view(graph.node(step.node));
      const double end = begin + (view ? 0 : 1 + static_cast<double>(dice.below(50)));
      ended[s].push_back(end);
      moved = true;
      if (view) continue;
      trace.events.push_back({.name = graph.node(step.node).op,
                              .category = graph.node(step.node).op,
                              .stream = static_cast<int>(s),
                              .begin_us = begin,
                              .end_us = end,
                              .part = step.part,
                              .parts = step.parts,
                              .node = step.node.index});
    }
  }
  return trace;
}

struct Played {
  Graph graph;
  Plan plan;
  Trace trace;
};

/// A graph whose views lie in the arena, and a Plan that is right.
Played draw(Dice& dice) {
  for (;;) {
    Graph graph = random_graph(dice);
    try {
      Plan plan = random_plan(graph, dice.below(1'000'000));
      return {std::move(graph), std::move(plan), {}};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Unsupported) throw;  // views that contradict one another
    }
  }
}

TEST(TraceFaults, ThereAreNoneInRunsOfPlansThatAreProved) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    Played run = draw(dice);
    ASSERT_NO_THROW(verify(run.graph, run.plan));
    run.trace = played(run.graph, run.plan, dice);
    ASSERT_THAT(trace_faults(run.graph, run.plan, run.trace), IsEmpty())
        << "seed " << seed << "\n"
        << print(run.graph, {.types = true});
  }
}

std::vector<Step*> steps_of(Plan& plan) {
  std::vector<Step*> steps;
  for (auto& stream : plan.streams)
    for (Step& step : stream) steps.push_back(&step);
  return steps;
}

std::vector<ValueId> placed_values(const Played& run) {
  std::vector<ValueId> values = run.graph.value_ids();
  std::erase_if(values, [&](ValueId v) { return !lives_in_arena(run.graph, v); });
  return values;
}

void drop_a_wait(Played& run, Dice& dice) {
  Step& step = *dice.pick(steps_of(run.plan));
  if (!step.waits.empty()) step.waits.erase(step.waits.begin());
}
void drop_all_waits(Played& run, Dice& /*dice*/) {
  for (Step* step : steps_of(run.plan)) step->waits.clear();
}
void swap_steps_of_a_stream(Played& run, Dice& dice) {
  auto& stream = run.plan.streams[dice.below(run.plan.streams.size())];
  if (stream.size() < 2) return;
  const std::size_t at = dice.below(stream.size() - 1);
  std::swap(stream[at].node, stream[at + 1].node);
  std::swap(stream[at].part, stream[at + 1].part);
  std::swap(stream[at].parts, stream[at + 1].parts);
  std::swap(stream[at].cut, stream[at + 1].cut);
  std::swap(stream[at].scratch_offset, stream[at + 1].scratch_offset);
}
/// The fault if pieces of a Split are linked the wrong way round: readers of one wait for nothing.
void forget_readers_of_views(Played& run, Dice& /*dice*/) {
  for (Step* step : steps_of(run.plan))
    for (const ValueId input : run.graph.node(step->node).inputs)
      if (input.valid() && run.graph.value(input).producer.valid() &&
          is_view(run.graph.node(run.graph.value(input).producer)))
        step->waits.clear();
}
void place_a_value_on_another(Played& run, Dice& dice) {
  const std::vector<ValueId> values = placed_values(run);
  if (values.size() < 2) return;
  run.plan.placements[dice.pick(values).at()].offset =
      run.plan.placements[dice.pick(values).at()].offset;
}
void place_everything_at_zero(Played& run, Dice& /*dice*/) {
  for (const ValueId value : placed_values(run)) run.plan.placements[value.at()].offset = 0;
}
void place_scratch_on_a_value(Played& run, Dice& dice) {
  const std::vector<ValueId> values = placed_values(run);
  for (Step* step : steps_of(run.plan))
    if (step->scratch_offset >= 0 && !values.empty())
      step->scratch_offset = run.plan.placements[dice.pick(values).at()].offset;
}
void lose_an_event(Played& run, Dice& dice) {
  if (!run.trace.events.empty())
    run.trace.events.erase(run.trace.events.begin() +
                           static_cast<std::ptrdiff_t>(dice.below(run.trace.events.size())));
}
void begin_early(Played& run, Dice& dice) {
  if (run.trace.events.empty()) return;
  TraceEvent& event = run.trace.events[dice.below(run.trace.events.size())];
  event.begin_us -= 10;
}
void end_late(Played& run, Dice& dice) {
  if (run.trace.events.empty()) return;
  run.trace.events[dice.below(run.trace.events.size())].end_us += 30;
}

struct Fault {
  const char* name;
  void (*make)(Played&, Dice&);
  bool in_trace = false;  ///< else in the Plan, before it is played
};
constexpr std::array<Fault, 10> kFaults = {{
    {"a wait is dropped", drop_a_wait},
    {"all waits are dropped", drop_all_waits},
    {"two steps are swapped", swap_steps_of_a_stream},
    {"readers of views wait for nobody", forget_readers_of_views},
    {"a value lies on another", place_a_value_on_another},
    {"all values lie on one another", place_everything_at_zero},
    {"scratch lies on a value", place_scratch_on_a_value},
    {"a part is lost", lose_an_event, true},
    {"a step begins early", begin_early, true},
    {"a step ends late", end_late, true},
}};

TEST(TraceFaults, AreFoundWhateverBroke) {
  for (const Fault& fault : kFaults) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      Dice dice(seed);
      Played run = draw(dice);
      if (!fault.in_trace) fault.make(run, dice);
      run.trace = played(run.graph, run.plan, dice);
      if (fault.in_trace) fault.make(run, dice);
      if (!trace_faults(run.graph, run.plan, run.trace).empty()) ++found;
    }
    // Not every draw is harmed: a wait may be implied, bytes may be free at that time.
    EXPECT_GE(found, 10) << fault.name;
  }
}

TEST(TraceFaults, ToldInWords) {
  const Graph graph = parse_graph(R"(
      x: f32[4]
      a: f32[4] = Mix(x)
      p: f32[2], q: f32[2] = Split(a) axis=0 <view>
      y: f32[2] = Mix(q)
      z: f32[2] = Mix(p))",
                                  {});
  Plan plan = random_plan(graph, 1, {.streams = 1});
  const auto event = [&](std::string_view value, double begin_us, double end_us) {
    TraceEvent e{.name = std::string(value), .category = "Mix"};
    e.begin_us = begin_us;
    e.end_us = end_us;
    e.node = graph.value(graph.find(value)).producer.index;
    return e;
  };
  Trace trace{{event("a", 0, 10), event("y", 10, 20), event("z", 20, 30)}};
  EXPECT_THAT(trace_faults(graph, plan, trace), IsEmpty());
  trace.events[1].begin_us = 9;
  EXPECT_THAT(trace_faults(graph, plan, trace), Contains(HasSubstr("began to read value 'q'")));
  trace.events.pop_back();
  EXPECT_THAT(trace_faults(graph, plan, trace),
              Contains(HasSubstr("'z' (Mix) at streams[0][3] never ran")));
}

}  // namespace
}  // namespace braid
