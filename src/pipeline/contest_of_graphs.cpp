#include "pipeline/contest_of_graphs.h"

#include <chrono>

#include <fmt/format.h>

#include "base/text.h"
#include "choose/memory_check.h"
#include "device/one_node.h"
#include "measure/turns.h"
#include "rewrite/canonical/number_check.h"

namespace braid {
namespace {

constexpr int kTurns = 200;
constexpr double kMostTurnSeconds = 12;

Turn turn_of(const Contestant& contestant) {
  return [contestant] {
    const auto start = std::chrono::steady_clock::now();
    contestant.program.run(contestant.inputs);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
        .count();
  };
}

std::int64_t bytes_of_run(const Planned& planned, const Device& device) {
  const Graph& lowered = planned.lowered();
  return device.packed_bytes(lowered) + device.arena_bytes(lowered, planned.plan, 1) +
         output_bytes(lowered);
}

}  // namespace

void check_memory_of_both(const Planned& given, const Planned& rewritten, const Device& device,
                          const Quotas& quotas) {
  check_memory_together({{"the model as it was given", bytes_of_run(given, device)},
                         {"the model rewritten", bytes_of_run(rewritten, device)},
                         {"inputs", input_bytes(given.graph())}},
                        quotas, "take a smaller --batch");
}

ContestTimes take_turns(const Contestant& champion, const Contestant& challenger,
                        const Progress& progress) {
  TurnOptions options;
  options.iterations = kTurns;
  options.seconds = kMostTurnSeconds;
  options.progress = progress;
  TurnTimes taken = take_turns({turn_of(champion), turn_of(challenger)}, options);
  return {std::move(taken.times[0]), std::move(taken.times[1])};
}

ContestResult result_of(const ContestTimes& times) {
  const auto ms = [](const std::vector<double>& taken_us) {
    return percentile(taken_us, kContestPercentile) / 1e3;
  };
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.champion_us.size(); ++i)
    ratios.push_back(times.champion_us[i] / times.challenger_us[i]);
  return {.champion_ms = ms(times.champion_us),
          .challenger_ms = ms(times.challenger_us),
          .ratio = ratio_of_times(times.champion_us, times.challenger_us),
          .ratio_band = band_of(ratios),
          .turns = ratios.size()};
}

std::string in_words(const ContestResult& result) {
  return fmt::format(
      "{:.3f} times as fast in {} runs by turns, [{:.3f}, {:.3f}] with 95 % confidence",
      result.ratio.ratio, result.turns, result.ratio.low, result.ratio.high);
}

bool is_surely_faster(const RatioInterval& ratio) {
  return ratio.ratio > 1 + kLeastKept && ratio.low > 1;
}

std::string disagreement(const Graph& graph, const std::vector<Tensor>& expected,
                         const std::vector<Tensor>& got) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (const double difference = relative_difference(expected[i], got[i]);
        difference > most_rounding(expected[i]))
      return fmt::format(
          "the rewritten graph gave other numbers: output {} differs by {:.2g} of "
          "its largest element",
          quote(graph.outputs()[i].name), difference);
  return {};
}

GraphContest contest_of_graphs(const Planned& given, const Planned& rewritten, const Device& device,
                               const PipelineOptions& options) {
  check_memory_of_both(given, rewritten, device, options.quotas);
  const std::vector<Tensor> inputs = random_inputs(given.graph());
  const auto first = device.compile(given.lowered(), given.plan);
  const auto second = device.compile(rewritten.lowered(), rewritten.plan);
  GraphContest contest;
  contest.disagreement = disagreement(given.graph(), first->run(inputs), second->run(inputs));
  if (contest.disagreement.empty())
    contest.times = take_turns({*first, inputs}, {*second, inputs}, options.progress);
  return contest;
}

}  // namespace braid
