#include "measure/turns.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace braid {
namespace {

/// Contenders a, b, c that write down whose turn it was.
std::vector<Turn> three(std::string& turns) {
  std::vector<Turn> contenders;
  for (char who : {'a', 'b', 'c'})
    contenders.emplace_back([&turns, who] {
      turns += who;
      return static_cast<double>(turns.size());
    });
  return contenders;
}

TEST(Turns, EachHasOneTurnPerRound) {
  std::string turns;
  const TurnTimes result = take_turns(three(turns), {.iterations = 50, .warm_up = 2});
  EXPECT_FALSE(result.cancelled);
  ASSERT_EQ(turns.size(), 6U + 150U);
  EXPECT_EQ(turns.substr(0, 6), "abcabc");
  std::set<std::string> orders;
  for (std::size_t at = 6; at < turns.size(); at += 3) {
    const std::string round = turns.substr(at, 3);
    EXPECT_EQ(std::set<char>(round.begin(), round.end()).size(), 3U);
    orders.insert(round);
  }
  EXPECT_EQ(orders.size(), 6U) << "all orders should occur in 50 rounds";
  for (const auto& times : result.times) EXPECT_EQ(times.size(), 50U);
}

TEST(Turns, TimesStandWithTheirContender) {
  std::string turns;
  const TurnTimes result = take_turns(three(turns), {.iterations = 20, .warm_up = 0});
  for (std::size_t who = 0; who < 3; ++who)
    for (double place : result.times[who])
      EXPECT_EQ(turns[static_cast<std::size_t>(place) - 1], "abc"[who]);
}

TEST(Turns, SameSeedSameOrder) {
  std::string first;
  std::string second;
  take_turns(three(first), {.iterations = 9, .seed = 5});
  take_turns(three(second), {.iterations = 9, .seed = 5});
  EXPECT_EQ(first, second);
}

TEST(Turns, KeepsWholeRoundsWhenStopped) {
  std::string turns;
  TurnOptions options{.iterations = 100, .warm_up = 1};
  int reports = 0;
  options.progress = [&](std::string_view, std::int64_t, std::int64_t) { return ++reports < 12; };
  const TurnTimes result = take_turns(three(turns), options);
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(turns.size(), 11U);
  for (const auto& times : result.times) EXPECT_EQ(times.size(), 2U);
}

TEST(Turns, RunsOneRoundHoweverLongItTakes) {
  std::string turns;
  const TurnTimes result =
      take_turns(three(turns), {.iterations = 100, .seconds = 1e-12, .warm_up = 0});
  EXPECT_EQ(turns.size(), 3U);
  EXPECT_FALSE(result.cancelled);
}

}  // namespace
}  // namespace braid
