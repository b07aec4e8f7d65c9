#include "pipeline/rewrite_outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/open.h"
#include "graph/text.h"
#include "ops/builder.h"

namespace braid {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Outlook : public ::testing::Test {
 protected:
  RewriteOutlook of(std::string_view text, std::size_t most = 10) {
    PipelineOptions options;
    options.costs.use_cache = false;
    options.plan.search_steps = 20;
    const Planned planned = to_plan(parse(text), *device, options);
    return rewrite_outlook(planned, *device, {}, predict(planned, *device).timeline.end_us, most);
  }

  std::unique_ptr<Device> device = open_device("sim:a100");
};

/// A row of convolutions in groups, which is faster without.
constexpr std::string_view kRowOfGroups = R"(
    x: f32[1,32,14,14]
    a = Conv(x, v: f32[32,2,3,3]) group=16 pads=[1,1,1,1]
    y = Conv(a, w: f32[32,2,3,3]) group=16 pads=[1,1,1,1]
    return y
)";

TEST_F(Outlook, TellsWhichRuleMovesWhichBound) {
  const RewriteOutlook outlook = of(kRowOfGroups);
  EXPECT_EQ(outlook.held_by, HoldingBound::CriticalPath);
  EXPECT_GT(outlook.share, 0.5);
  EXPECT_LE(outlook.share, 1);
  EXPECT_EQ(outlook.now.operators, 2);
  ASSERT_THAT(outlook.rules, Contains(Field(&RulePossibility::rule, "merge-groups")));
  const RulePossibility& best = outlook.rules[0];
  EXPECT_EQ(best.rule, "merge-groups");
  EXPECT_EQ(best.sites, 2U);
  EXPECT_LT(best.after.sum_us, outlook.now.sum_us);
  EXPECT_THAT(best.moved, Contains(HoldingBound::CriticalPath));
}

TEST_F(Outlook, HasTheBestOfEachRuleBestFirst) {
  const RewriteOutlook outlook = of(kRowOfGroups);
  const auto path_and_sum = [](const RulePossibility& rule) {
    return rule.after.of(HoldingBound::CriticalPath) + rule.after.sum_us;
  };
  for (std::size_t i = 1; i < outlook.rules.size(); ++i) {
    EXPECT_LE(path_and_sum(outlook.rules[i - 1]), path_and_sum(outlook.rules[i]));
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(outlook.rules[k].rule, outlook.rules[i].rule);
  }
  EXPECT_THAT(of(kRowOfGroups, 0).rules, IsEmpty());
  EXPECT_THAT(of(kRowOfGroups, 1).rules, SizeIs(1));
}

TEST_F(Outlook, PromisesNothingWhereNoRuleApplies) {
  const RewriteOutlook outlook = of("x: f32[1,8,4,4]\ny = Relu(x)\nreturn y");
  EXPECT_THAT(outlook.rules, IsEmpty());
  EXPECT_EQ(outlook.left_out, 0U);
}

TEST_F(Outlook, LooksAtLanesToo) {
  device = open_device("cpu", {.threads = 2});
  const RewriteOutlook outlook = of(kRowOfGroups);
  EXPECT_GT(outlook.now.of(HoldingBound::CriticalPath), 0);
  EXPECT_LE(outlook.share, 1);
  EXPECT_GT(outlook.tried, 0U);
}

}  // namespace
}  // namespace braid
