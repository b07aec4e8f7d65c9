#include "choose/contest.h"

#include <chrono>

#include <fmt/format.h>

#include "base/error.h"
#include "base/samples.h"
#include "device/one_node.h"

namespace braid {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostRounds = 60;
constexpr int kFewestRounds = 8;
constexpr auto kPatience = std::chrono::milliseconds(1500);
/// A challenger that is ahead by less may be so by chance.
constexpr double kNoise = 1.005;

double run_us(Program& program, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
  const Clock::time_point start = Clock::now();
  outputs = program.run(inputs);
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::string name_of(const Plan& plan) {
  return plan.scheduler + (plan.streams.size() == 1 ? " on one stream" : "");
}

void check_equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const Plan& one,
                 const Plan& other) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!identical(a[i], b[i]))
      raise(ErrorKind::Internal, fmt::format("the Plans of {} and {} give different outputs",
                                             one.scheduler, other.scheduler));
}

}  // namespace

ContestVerdict judge(const Plan& champion, const Plan& challenger, const ContestTimes& times) {
  const double own = percentile(times.champion_us, kContestPercentile);
  const double other = percentile(times.challenger_us, kContestPercentile);
  const bool won = own > other * kNoise;
  return {won, fmt::format("{} took {:.3f} ms and {} {:.3f} ms in {} runs by turns: {}",
                           name_of(challenger), other / 1e3, name_of(champion), own / 1e3,
                           times.champion_us.size(),
                           won ? "the faster is kept" : "not faster beyond noise")};
}

HeldContest told_of(const Plan& champion, const Plan& challenger, const ContestTimes& times) {
  return judge(champion, challenger, times).challenger_won
             ? held_contest(name_of(challenger), name_of(champion), times.challenger_us,
                            times.champion_us)
             : held_contest(name_of(champion), name_of(challenger), times.champion_us,
                            times.challenger_us);
}

ContestTimes run_by_turns(const Graph& lowered, const Contender& champion,
                          const Contender& challenger, const Progress& progress) {
  const std::vector<Tensor> inputs = random_inputs(lowered);
  std::vector<Tensor> outputs;
  std::vector<Tensor> others;
  run_us(champion.program, inputs, outputs);
  run_us(challenger.program, inputs, others);
  check_equal(outputs, others, champion.plan, challenger.plan);
  ContestTimes times;
  const Clock::time_point start = Clock::now();
  for (int round = 0; round < kMostRounds; ++round) {
    if (round >= kFewestRounds && Clock::now() - start > kPatience) break;
    report(progress, "running Plans by turns", round, kMostRounds);
    times.champion_us.push_back(run_us(champion.program, inputs, outputs));
    times.challenger_us.push_back(run_us(challenger.program, inputs, others));
  }
  return times;
}

}  // namespace braid
