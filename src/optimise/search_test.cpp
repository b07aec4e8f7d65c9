#include "optimise/search.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"
#include "ops/builder.h"
#include "optimise/sites.h"
#include "rewrite/canonicalise.h"

namespace braid {
namespace {

constexpr std::string_view kCells = R"(
    x: f32[1,8,5,5]
    a = Conv(x, wa: f32[8,1,3,3]) group=8 pads=[1,1,1,1]
    b = Conv(a, wb: f32[8,2,3,3]) group=4 pads=[1,1,1,1]
    c = Conv(b, wc: f32[8,2,3,3]) group=4 pads=[1,1,1,1]
    d = Conv(c, wd: f32[8,2,3,3]) group=4 pads=[1,1,1,1]
    j = Concat(b, d) axis=1
    y = Relu(j))";

Graph cells() { return canonicalise(parse(kCells)).graph; }

/// A device that likes convolutions of a certain number of groups, and nothing else.
class GroupTrial : public Trial {
 public:
  GroupTrial(const Graph& graph, std::int64_t wanted) {
    for (const NodeId id : graph.node_ids()) {
      const Node& node = graph.node(id);
      time_us_ += node.op != "Conv" || node.attributes.integer("group", 1) == wanted ? 1 : 10;
    }
  }
  TrialCost cost() const override { return {time_us_, time_us_, 1}; }
  void improve(int /*steps*/, double /*seconds*/) override {}
  std::vector<double> times_us(std::size_t /*models*/) override { return {time_us_, 2 * time_us_}; }

 private:
  double time_us_ = 0;
};

OpenTrial likes_groups(std::int64_t wanted) {
  return [wanted](const Graph& graph, const Trial*) -> std::unique_ptr<Trial> {
    return std::make_unique<GroupTrial>(graph, wanted);
  };
}

FoundGraph found(std::int64_t wanted, const GraphSearchOptions& options) {
  const Graph graph = cells();
  const RewrittenGraph given(graph, rewrite_limits(graph));
  const OpenTrial open = likes_groups(wanted);
  return search_rewriting(given, given, open(graph, nullptr), open, options);
}

std::vector<std::int64_t> groups_of(const Graph& graph) {
  std::vector<std::int64_t> groups;
  for (const NodeId id : graph.nodes_in_order())
    if (graph.node(id).op == "Conv")
      groups.push_back(graph.node(id).attributes.integer("group", 1));
  return groups;
}

TEST(SiteGroups, JoinSitesOfOneKindAndThoseOfAllKinds) {
  std::size_t everywhere = 0;
  std::size_t alike = 0;
  for (const SiteGroup& group : site_groups(cells(), {})) {
    if (group.rule->rule.name != "merge-groups" || group.parameters[0] != 2) continue;
    if (group.reach == Reach::Everywhere) everywhere = group.sites;
    if (group.reach == Reach::Alike) alike = group.sites;
  }
  EXPECT_EQ(everywhere, 4U);
  EXPECT_EQ(alike, 3U);
}

TEST(SiteGroups, LeaveOutRulesThatAreDisabled) {
  for (const SiteGroup& group : site_groups(cells(), {"merge-groups"}))
    EXPECT_NE(group.rule->rule.name, "merge-groups");
}

TEST(SearchRewriting, FindsWhatTheDeviceLikes) {
  for (const bool judge : {true, false}) {
    const FoundGraph best = found(2, {.judge = judge, .seconds = 0});
    EXPECT_EQ(best.stopped, SearchStop::Converged);
    EXPECT_EQ(groups_of(best.rewritten.graph()), (std::vector<std::int64_t>{2, 2, 2, 2}));
    EXPECT_GT(best.ratio, 5);
    EXPECT_EQ(best.gains.back().ratio, best.ratio);
  }
}

TEST(SearchRewriting, KeepsTheGraphIfNothingIsBetter) {
  const FoundGraph best = found(7, {.seconds = 0, .disabled = {"compose-depthwise-pointwise"}});
  EXPECT_TRUE(best.rewritten.rounds().empty());
  EXPECT_EQ(best.ratio, 1);
}

TEST(SearchRewriting, GivesTheSameEveryTimeUnderALimitOfCandidates) {
  const GraphSearchOptions options = {.seconds = 0, .candidates = 12};
  const FoundGraph one = found(2, options);
  const FoundGraph two = found(2, options);
  EXPECT_EQ(one.stopped, SearchStop::Candidates);
  EXPECT_EQ(one.candidates, 12);
  EXPECT_EQ(one.rewritten.rounds(), two.rewritten.rounds());
}

TEST(SearchRewriting, GivesTheBestSoFarWhenCancelled) {
  int calls = 0;
  const FoundGraph best = found(
      2, {.seconds = 0,
          .progress = [&](std::string_view, std::int64_t, std::int64_t) { return ++calls < 12; }});
  EXPECT_EQ(best.stopped, SearchStop::Cancelled);
  EXPECT_GT(best.ratio, 1);
}

TEST(SearchRewriting, TakesMovesBackThatOnlyLookedGood) {
  // With every convolution in four groups but the first, "everywhere" spoils the others.
  const FoundGraph best = found(4, {.seconds = 0});
  EXPECT_EQ(groups_of(best.rewritten.graph()), (std::vector<std::int64_t>{4, 4, 4, 4}));
}

TEST(SearchRewriting, BeginsWithWhatTheCostFindsWhereTrialsTakeLong) {
  class SlowTrial : public GroupTrial {
   public:
    using GroupTrial::GroupTrial;
    std::vector<double> times_us(std::size_t models) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return GroupTrial::times_us(models);
    }
  };
  const OpenTrial open = [](const Graph& graph, const Trial*) -> std::unique_ptr<Trial> {
    return std::make_unique<SlowTrial>(graph, 2);
  };
  const Graph graph = cells();
  const RewrittenGraph given(graph, rewrite_limits(graph));
  const FoundGraph best =
      search_rewriting(given, given, open(graph, nullptr), open, {.seconds = 0.5});
  ASSERT_FALSE(best.gains.empty());
  EXPECT_EQ(best.gains[0].step, "cost alone");
  EXPECT_EQ(groups_of(best.rewritten.graph()), (std::vector<std::int64_t>{2, 2, 2, 2}));
  EXPECT_GT(best.ratio, 5);
}

TEST(RewrittenGraph, RefusesMovesOfAnotherModel) {
  const Graph graph = cells();
  RewrittenGraph rewritten(graph, rewrite_limits(graph));
  try {
    rewritten.replay({{{.rule = "merge-groups", .anchor = "elsewhere", .parameters = {2}}}});
    FAIL() << "it was replayed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
  }
}

TEST(RewrittenGraph, StopsAtItsLimits) {
  const Graph graph = cells();
  RewriteLimits limits = rewrite_limits(graph);
  limits.constant_bytes = constant_bytes(graph) + 8;
  RewrittenGraph rewritten(graph, limits);
  try {
    rewritten.replay({{{.rule = "merge-groups", .anchor = "b", .parameters = {2}}}});
    FAIL() << "it was replayed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Quota);
  }
  EXPECT_EQ(print(rewritten.graph()), print(graph));
}

}  // namespace
}  // namespace braid
