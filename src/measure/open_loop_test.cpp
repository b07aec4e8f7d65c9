#include "measure/open_loop.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace braid {
namespace {

/// A clock that passes only while a caller sleeps or answers.
struct InventedTime {
  double now = 0;
  LoadClock clock() {
    return {[this] { return now; }, [this](double s) { now = std::max(now, s); }};
  }
};

OpenLoop served_by_one(const std::vector<double>& arrivals, double answer_s) {
  InventedTime time;
  return run_open_loop(arrivals, 1, [&] { time.now += answer_s; }, time.clock());
}

LoadTotals totals_of(double rate, double answer_s) {
  LoadTotals totals;
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    totals.add(served_by_one(poisson_arrivals(rate, 400, seed), answer_s), 1);
  return totals;
}

TEST(PoissonArrivals, AreTheSameForASeed) {
  EXPECT_EQ(poisson_arrivals(100, 50, 7), poisson_arrivals(100, 50, 7));
  EXPECT_NE(poisson_arrivals(100, 50, 7), poisson_arrivals(100, 50, 8));
}

TEST(PoissonArrivals, HaveExponentialGapsOfTheRatesMean) {
  const double rate = 250;
  const std::size_t count = 100'000;
  const std::vector<double> arrivals = poisson_arrivals(rate, count, 1);
  std::vector<double> gaps(count);
  std::adjacent_difference(arrivals.begin(), arrivals.end(), gaps.begin());
  EXPECT_NEAR(arrivals.back() / static_cast<double>(count) * rate, 1, 0.01);
  for (const double means : {0.1, 0.5, 1.0, 2.0, 4.0}) {
    const auto longer = std::ranges::count_if(gaps, [&](double gap) { return gap * rate > means; });
    EXPECT_NEAR(static_cast<double>(longer) / static_cast<double>(count), std::exp(-means), 0.01);
  }
}

TEST(OpenLoop, CountsFromWhenARequestWasDue) {
  const OpenLoop load = served_by_one({1, 2, 3, 9, 20}, 2);
  EXPECT_EQ(load.latencies_s, (std::vector<double>{2, 3, 4, 2, 2}));
  EXPECT_EQ(load.answered, 4);
  EXPECT_EQ(load.waiting, 0);
  EXPECT_EQ(load.found_idle, 2);
  EXPECT_EQ(load.load_s, 20);
}

TEST(OpenLoop, OneSlowAnswerMakesAllThatWaitBehindItSlow) {
  InventedTime time;
  int answers = 0;
  const OpenLoop load = run_open_loop(
      {1, 2, 3, 4, 100}, 1, [&] { time.now += answers++ == 0 ? 10 : 0.5; }, time.clock());
  EXPECT_EQ(load.latencies_s, (std::vector<double>{10, 9.5, 9, 8.5, 0.5}));
}

TEST(OpenLoop, GivesUpWhatIsNotBegunForAsLongAgain) {
  const OpenLoop load = served_by_one({1, 2, 3, 4}, 5);
  EXPECT_EQ(load.answered, 0);
  EXPECT_EQ(load.waiting, 2);
  EXPECT_EQ(load.given_up, 2);
  EXPECT_EQ(load.latencies_s, (std::vector<double>{5, 9, 8, 7}));
}

TEST(OpenLoop, AllCallersAnswerEveryRequestOnce) {
  std::atomic<int> answers = 0;
  const OpenLoop load =
      run_open_loop(poisson_arrivals(20'000, 500, 3), 4, [&] { ++answers; }, real_clock());
  EXPECT_EQ(load.latencies_s.size(), 500U);
  EXPECT_EQ(static_cast<std::size_t>(answers) + load.given_up, 500U);
  for (const double latency : load.latencies_s) EXPECT_GE(latency, 0);
}

TEST(OpenLoop, ThrowsWhatAnAnswerThrows) {
  for (const int callers : {1, 3})
    EXPECT_THROW(run_open_loop(
                     poisson_arrivals(10'000, 20, 1), callers,
                     [] { throw std::runtime_error("no"); }, real_clock()),
                 std::runtime_error);
}

TEST(LoadTotals, TellWhatWasOfferedAndServed) {
  const LoadTotals calm = totals_of(100, 0.004);
  EXPECT_NEAR(calm.offered_per_s(), 100, 5);
  EXPECT_NEAR(calm.served_per_s(), calm.offered_per_s(), 1);
  EXPECT_FALSE(calm.overloaded());
  EXPECT_EQ(calm.given_up, 0);

  const LoadTotals much = totals_of(120, 1 / 96.0);
  EXPECT_NEAR(much.offered_per_s(), 120, 5);
  EXPECT_NEAR(much.served_per_s(), 96, 2);
  EXPECT_TRUE(much.overloaded());
  EXPECT_GT(much.most_waiting, 40U);
}

TEST(LoadTotals, AQueueThatEmptiesIsNoOverload) {
  EXPECT_FALSE(totals_of(100, 0.0085).overloaded());
  EXPECT_TRUE(totals_of(100, 0.013).overloaded());
}

}  // namespace
}  // namespace braid
