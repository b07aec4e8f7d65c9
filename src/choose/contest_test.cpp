#include "choose/contest.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/error.h"
#include "choose/contest_memory.h"
#include "graph/text.h"
#include "plan/one_stream.h"

namespace braid {
namespace {

/// Takes some turns of the processor and gives one number.
class Counting : public Program {
 public:
  Counting(std::int64_t turns, float answer) : turns_(turns), answer_(answer) {}

  std::vector<Tensor> run(std::span<const Tensor> /*inputs*/,
                          const RunOptions& /*options*/) override {
    volatile std::int64_t turn = 0;
    while (turn < turns_) turn = turn + 1;
    return {Tensor::scalar(answer_)};
  }

 private:
  std::int64_t turns_;
  float answer_;
};

struct Entrant {
  Plan plan;
  Counting program;
  operator Contender() {  // NOLINT(google-explicit-constructor): a list of them is one of
                          // Contenders
    return {plan, program};
  }
};

Entrant contender(const char* scheduler, std::int64_t turns, float answer = 1) {
  Plan plan;
  plan.scheduler = scheduler;
  return {std::move(plan), {turns, answer}};
}

Graph graph() { return parse_graph("x: f32[2]\ny: f32[2] = Relu(x)", {}); }

ContestVerdict contest(Entrant champion, Entrant challenger) {
  return judge(champion.plan, challenger.plan, run_by_turns(graph(), champion, challenger, {}));
}

TEST(Contest, KeepsTheFasterAndSaysWhy) {
  const ContestVerdict verdict = contest(contender("slow", 2'000'000), contender("fast", 10));
  EXPECT_TRUE(verdict.challenger_won);
  EXPECT_NE(verdict.reason.find("the faster is kept"), std::string::npos) << verdict.reason;
}

TEST(Contest, AChallengerThatIsSlowerLoses) {
  EXPECT_FALSE(contest(contender("fast", 10), contender("slow", 2'000'000)).challenger_won);
}

TEST(Contest, AChallengerThatIsAheadByNoiseLoses) {
  Plan plan;
  EXPECT_FALSE(judge(plan, plan, {{1.004, 1.004}, {1, 1}}).challenger_won);
  EXPECT_TRUE(judge(plan, plan, {{1.006, 1.006}, {1, 1}}).challenger_won);
}

TEST(Contest, TellsTheWinnerFirst) {
  Plan one;
  one.scheduler = "one";
  Plan two;
  two.scheduler = "two";
  const HeldContest lost = told_of(one, two, {{1, 1}, {3, 3}});
  EXPECT_EQ(lost.winner, "one");
  EXPECT_DOUBLE_EQ(lost.ratio.ratio, 3);
  const HeldContest won = told_of(one, two, {{2, 2}, {1, 1}});
  EXPECT_EQ(won.winner, "two");
  EXPECT_EQ(won.loser, "one");
  EXPECT_DOUBLE_EQ(won.ratio.ratio, 2);
  EXPECT_EQ(won.runs, 2);
}

TEST(Contest, OutputsThatDifferAreAnError) {
  try {
    Entrant one = contender("one", 1, 1);
    Entrant two = contender("two", 1, 2);
    run_by_turns(graph(), one, two, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Internal);
    EXPECT_EQ(error.message(), "the Plans of one and two give different outputs");
  }
}

TEST(Contest, IsRememberedForThesePlansUnderTheseConditions) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "braid_contest_test.db";
  std::filesystem::remove(file);
  const Graph lowered = graph();
  const Plan sequential = one_stream(lowered, "cpu");
  Plan braid = sequential;
  braid.scheduler = "braid";
  const ContestTimes times{{3, 4}, {1, 2}};
  HeldContest told = told_of(sequential, braid, times);
  told.others_share = 0.25;
  {
    ProfileCache cache(file, ProfileCache::Access::Write, {});
    EXPECT_FALSE(remembered_contest(cache, "here", lowered, sequential, braid));
    remember_contest(cache, "here", lowered, sequential, braid, {times, told});
  }
  ProfileCache cache(file, ProfileCache::Access::Read, {});
  const auto found = remembered_contest(cache, "here", lowered, sequential, braid);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->times.champion_us, times.champion_us);
  EXPECT_EQ(found->times.challenger_us, times.challenger_us);
  EXPECT_EQ(found->told.winner, "braid on one stream");
  EXPECT_EQ(found->told.others_share, 0.25);
  EXPECT_GT(found->told.held_at, 0);
  EXPECT_FALSE(remembered_contest(cache, "there", lowered, sequential, braid));
  EXPECT_FALSE(remembered_contest(cache, "here", lowered, braid, sequential));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace braid
