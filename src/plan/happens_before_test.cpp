#include "plan/happens_before.h"

#include <random>

#include <gtest/gtest.h>

#include "base/error.h"

namespace braid {
namespace {

StepRef ref(std::int64_t stream, std::int32_t index) { return {StreamId(stream), index}; }

/// A graph of nodes that need nothing, and a Plan whose streams hold them in the order of ids.
struct Fixture {
  Graph graph;
  Plan plan;

  explicit Fixture(const std::vector<std::size_t>& lengths) {
    for (std::size_t length : lengths) {
      plan.streams.emplace_back();
      for (std::size_t i = 0; i < length; ++i) {
        Node node;
        node.op = "Make";
        Step step;
        step.node = graph.add_node(std::move(node), {{ElementType::F32, {1}}});
        plan.streams.back().push_back(std::move(step));
      }
    }
  }
  std::vector<StepRef>& waits(StepRef at) {
    return plan.streams[at.stream.at()][static_cast<std::size_t>(at.index)].waits;
  }
};

TEST(HappensBefore, FollowsStreamsAndWaits) {
  Fixture f({2, 3});
  f.waits(ref(1, 1)) = {ref(0, 0)};
  const HappensBefore order(f.graph, f.plan);
  EXPECT_TRUE(order.before(ref(0, 0), ref(0, 1)));
  EXPECT_TRUE(order.before(ref(0, 0), ref(1, 1)));
  EXPECT_TRUE(order.before(ref(0, 0), ref(1, 2)));
  EXPECT_FALSE(order.before(ref(0, 1), ref(1, 2)));
  EXPECT_FALSE(order.before(ref(0, 0), ref(1, 0)));
  EXPECT_FALSE(order.before(ref(1, 0), ref(1, 0)));
  EXPECT_EQ(order.settled({ref(0, 0)}), order.position(ref(1, 0)) + 1);
}

std::string error_of(Fixture& f) {
  try {
    const HappensBefore order(f.graph, f.plan);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    return error.what();
  }
  return "no error";
}

TEST(HappensBefore, RefusesACycleAndNamesIt) {
  Fixture f({2, 2});
  f.waits(ref(0, 0)) = {ref(1, 1)};
  f.waits(ref(1, 1)) = {ref(0, 1)};
  EXPECT_EQ(error_of(f),
            "the waits form a cycle, so the Plan would never end: 'Make' (Make) at streams[0][0], "
            "which comes after 'Make_3' (Make) at streams[1][1], which comes after 'Make_1' (Make) "
            "at streams[0][1], which comes after 'Make' (Make) at streams[0][0]");
}

TEST(HappensBefore, RefusesAStepThatWaitsForItself) {
  Fixture f({1});
  f.waits(ref(0, 0)) = {ref(0, 0)};
  EXPECT_EQ(error_of(f),
            "the waits form a cycle, so the Plan would never end: 'Make' (Make) at streams[0][0], "
            "which comes after 'Make' (Make) at streams[0][0]");
}

TEST(HappensBefore, RefusesWaitsAndNodesThatDoNotExist) {
  for (StepRef wait : {ref(0, 7), ref(0, -1), ref(5, 0), ref(-1, 0)}) {
    Fixture f({1, 1});
    f.waits(ref(1, 0)) = {wait};
    EXPECT_EQ(error_of(f), "'Make_1' (Make) at streams[1][0] waits for streams[" +
                               std::to_string(wait.stream.index) + "][" +
                               std::to_string(wait.index) + "], which does not exist");
  }
  for (std::int64_t node : {-1, 2}) {
    Fixture f({1, 1});
    f.plan.streams[1][0].node = NodeId(node);
    EXPECT_EQ(error_of(f),
              "streams[1][0] names node " + std::to_string(node) + ", which is not in the graph");
  }
}

TEST(HappensBefore, RefusesMoreStreamsThanItCanRemember) {
  Fixture f({100'000});
  f.plan.streams.resize(100'000);
  try {
    const HappensBefore order(f.graph, f.plan);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Quota);
    EXPECT_STREQ(error.what(), "a Plan of 100000 steps on 100000 streams is too large to check");
  }
}

TEST(ReduceWaits, DropsWhatStreamsAndOtherWaitsImply) {
  Fixture f({2, 2, 1});
  f.waits(ref(1, 0)) = {ref(0, 0)};
  f.waits(ref(1, 1)) = {ref(0, 0), ref(1, 0)};
  f.waits(ref(2, 0)) = {ref(1, 1), ref(0, 0), ref(1, 0), ref(0, 1), ref(1, 1)};
  reduce_waits(f.graph, f.plan);
  EXPECT_EQ(f.waits(ref(1, 0)), (std::vector{ref(0, 0)}));
  EXPECT_TRUE(f.waits(ref(1, 1)).empty());
  EXPECT_EQ(f.waits(ref(2, 0)), (std::vector{ref(0, 1), ref(1, 1)}));
}

/// Reachability by plain search over streams and waits.
std::vector<std::vector<bool>> closure(const Fixture& f, const std::vector<StepRef>& steps) {
  const auto number = [&](StepRef r) {
    return static_cast<std::size_t>(std::find(steps.begin(), steps.end(), r) - steps.begin());
  };
  std::vector<std::vector<bool>> before(steps.size(), std::vector<bool>(steps.size()));
  for (StepRef step : steps) {
    for (StepRef wait : step_at(f.plan, step).waits) before[number(wait)][number(step)] = true;
    if (step.index > 0) before[number({step.stream, step.index - 1})][number(step)] = true;
  }
  for (std::size_t k = 0; k < steps.size(); ++k)
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t j = 0; j < steps.size(); ++j)
        if (before[i][k] && before[k][j]) before[i][j] = true;
  return before;
}

TEST(ReduceWaits, KeepsTheOrderAndNoWaitTooMany) {
  constexpr std::uint64_t kSeed = 11;
  std::mt19937_64 engine(kSeed);
  for (int n = 0; n < 300; ++n) {
    Fixture f({1 + engine() % 4, 1 + engine() % 4, 1 + engine() % 4});
    // Waits go backwards in one order of all steps, so there is no cycle.
    std::vector<StepRef> steps;
    for (std::int32_t i = 0; i < 4; ++i)
      for (std::size_t s = 0; s < 3; ++s)
        if (static_cast<std::size_t>(i) < f.plan.streams[s].size())
          steps.push_back(ref(static_cast<std::int64_t>(s), i));
    for (std::size_t i = 1; i < steps.size(); ++i)
      for (std::size_t k = engine() % 4; k > 0; --k)
        f.waits(steps[i]).push_back(steps[engine() % i]);

    const auto before = closure(f, steps);
    const HappensBefore order(f.graph, f.plan);
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t j = 0; j < steps.size(); ++j)
        ASSERT_EQ(order.before(steps[i], steps[j]), before[i][j]) << "seed " << kSeed << " " << n;

    reduce_waits(f.graph, f.plan);
    ASSERT_EQ(closure(f, steps), before) << "seed " << kSeed << ", case " << n;
    for (StepRef step : steps)
      for (std::size_t w = 0; w < f.waits(step).size(); ++w) {
        Fixture less = f;
        less.waits(step).erase(less.waits(step).begin() + static_cast<std::ptrdiff_t>(w));
        ASSERT_NE(closure(less, steps), before) << "seed " << kSeed << ", case " << n;
      }
  }
}

}  // namespace
}  // namespace braid
