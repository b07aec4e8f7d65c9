#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/date.h"
#include "base/hash.h"
#include "cost/sqlite.h"
#include "ops/testing/random_network.h"
#include "tests/devices/fake_device.h"
#include "tests/devices/planning.h"
#include "tests/devices/subject.h"

/// What a contest settled on is taken by those who open the model later.

namespace braid {
namespace {

using testing::HasSubstr;

class SettledPlanOnFake : public testing::Test {
 protected:
  SettledPlanOnFake()
      : cache_(std::filesystem::temp_directory_path() /
               fmt::format("braid-settled-{}.db", getpid())),
        device_(make_fake_device()) {
    std::filesystem::remove(cache_);
  }
  ~SettledPlanOnFake() override { std::filesystem::remove(cache_); }

  /// As a Session opens a model, with time to measure or without.
  PipelineOptions options(bool measure) {
    PipelineOptions options = without_clocks("braid");
    options.plan.search_steps = 0;
    options.costs.use_cache = true;
    options.costs.cache = cache_;
    options.costs.measure = measure;
    options.costs.warn = [this](const std::string& warning) { warnings_.push_back(warning); };
    options.contest = measure;
    options.recall = true;
    return options;
  }

  Runnable open(const PipelineOptions& options) { return prepare(graph_, *device_, options); }

  std::filesystem::path cache_;
  std::unique_ptr<Device> device_;
  Graph graph_ = random_network(4, 12);
  std::vector<std::string> warnings_;
};

TEST_F(SettledPlanOnFake, IsTakenWithoutSearchingAgain) {
  const Runnable first = open(options(true));
  EXPECT_FALSE(first.settled);
  for (const bool measure : {true, false}) {
    const Runnable later = open(options(measure));
    EXPECT_TRUE(later.settled);
    EXPECT_FALSE(later.search);
    EXPECT_EQ(later.plan, first.plan);
    EXPECT_THAT(later.reason, HasSubstr("earlier contest"));
    const std::vector<Tensor> inputs = other_inputs(4);
    EXPECT_TRUE(same_bits(run(later, inputs), evaluated_outputs(graph_, inputs)));
  }
}

TEST_F(SettledPlanOnFake, TellsWhenAndHowItWasSettled) {
  const Runnable first = open(options(true));
  ASSERT_TRUE(first.settlement);
  EXPECT_FALSE(first.settlement->earlier);
  EXPECT_THAT(first.reason, HasSubstr("--remeasure settles it again"));
  const Runnable later = open(options(false));
  ASSERT_TRUE(later.settlement);
  EXPECT_TRUE(later.settlement->earlier);
  EXPECT_GE(later.settlement->settled_at, first.settlement->settled_at);
  ASSERT_TRUE(later.settlement->contests);
  ASSERT_EQ(later.settlement->contests->size(), first.settlement->contests->size());
  const HeldContest& told = later.settlement->contests->front();
  EXPECT_EQ(told.winner, first.settlement->contests->front().winner);
  EXPECT_DOUBLE_EQ(told.ratio.ratio, first.settlement->contests->front().ratio.ratio);
  EXPECT_LE(told.ratio.low, told.ratio.high);
  EXPECT_THAT(later.reason, HasSubstr(date_text(later.settlement->settled_at)));
  EXPECT_THAT(later.reason, HasSubstr(told.winner + " was "));
  EXPECT_THAT(later.reason, HasSubstr("--remeasure settles it again"));
}

TEST_F(SettledPlanOnFake, ByAnOlderVersionIsToldWithItsDay) {
  open(options(true));
  {
    sqlite::Database database(cache_, sqlite::Database::Open::Existing, 1000);
    database.execute("DROP TABLE contests");
    database.execute("UPDATE plans SET found_at = 1763474592");
  }
  const Runnable later = open(options(false));
  ASSERT_TRUE(later.settlement);
  EXPECT_FALSE(later.settlement->contests);
  EXPECT_THAT(later.reason, HasSubstr("2025-11-18 14:03 UTC"));
  EXPECT_THAT(later.reason, HasSubstr("an older Braid kept neither the margin nor"));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SettledPlanOnFake, IsSettledAgainWhereThatIsAskedFor) {
  open(options(true));
  PipelineOptions again = options(true);
  again.costs.remeasure = true;
  const Runnable second = open(again);
  EXPECT_FALSE(second.settled);
  ASSERT_TRUE(second.settlement);
  EXPECT_FALSE(second.settlement->earlier);
}

TEST_F(SettledPlanOnFake, IsKeptByContestsOnly) {
  PipelineOptions without = options(true);
  without.contest = false;
  open(without);
  EXPECT_FALSE(open(options(true)).settled);
}

TEST_F(SettledPlanOnFake, IsNotTakenByThoseWhoAskForSomethingElse) {
  open(options(true));
  const auto settled = [&](const std::function<void(PipelineOptions&)>& change) {
    PipelineOptions asked = options(false);
    change(asked);
    return open(asked).settled;
  };
  EXPECT_TRUE(settled([](auto&) {}));
  EXPECT_FALSE(settled([](auto& asked) { asked.recall = false; }));
  EXPECT_FALSE(settled([](auto& asked) { asked.costs.remeasure = true; }));
  EXPECT_FALSE(settled([](auto& asked) { asked.costs.use_cache = false; }));
  EXPECT_FALSE(settled([](auto& asked) { asked.plan.scheduler = "nimble"; }));
  EXPECT_FALSE(settled([](auto& asked) { asked.plan.streams = 1; }));
  EXPECT_FALSE(settled([](auto& asked) { asked.plan.arena_budget = 1 << 30; }));
  EXPECT_FALSE(settled([](auto& asked) { asked.plan.search_steps = 10; }));
  EXPECT_FALSE(settled([](auto& asked) { asked.plan.shuffle_seed = 1; }));
}

TEST_F(SettledPlanOnFake, HoldsForOneGraph) {
  open(options(true));
  graph_ = random_network(5, 12);
  EXPECT_FALSE(open(options(false)).settled);
}

TEST_F(SettledPlanOnFake, IsCheckedLikeALoadedPlan) {
  const Runnable first = open(options(true));
  const auto forge = [&](const char* from, const char* to) {
    sqlite::Database database(cache_, sqlite::Database::Open::Existing, 1000);
    sqlite::Statement update(database, "UPDATE plans SET plan = replace(plan, ?1, ?2)");
    update.bind(1, std::string_view(from)).bind(2, std::string_view(to)).step();
  };
  // Nobody waits for anybody.
  forge("\"waits\"", "\"launch_waits\"");
  const Runnable later = open(options(false));
  EXPECT_FALSE(later.settled);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("a Plan in the profile cache cannot be used"));
  EXPECT_THAT(warnings_[0], HasSubstr("the model is planned anew"));
  const std::vector<Tensor> inputs = other_inputs(4);
  EXPECT_TRUE(same_bits(run(later, inputs), evaluated_outputs(graph_, inputs)));
}

}  // namespace
}  // namespace braid
