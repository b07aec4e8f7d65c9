#include "pipeline/contest_of_graphs.h"

#include <chrono>

#include <fmt/format.h>

#include "base/text.h"
#include "device/one_node.h"
#include "measure/turns.h"
#include "rewrite/canonical/number_check.h"

namespace braid {
namespace {

constexpr double kLargestDifference = 1e-4;
constexpr int kTurns = 200;
constexpr double kMostTurnSeconds = 12;

}  // namespace

std::string disagreement(const Graph& graph, const std::vector<Tensor>& expected,
                         const std::vector<Tensor>& got) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (const double difference = relative_difference(expected[i], got[i]);
        difference > kLargestDifference)
      return fmt::format(
          "the rewritten graph gave other numbers: output {} differs by {:.2g} of "
          "its largest element",
          quote(graph.outputs()[i].name), difference);
  return {};
}

GraphContest contest_of_graphs(const Planned& given, const Planned& rewritten, const Device& device,
                               const PipelineOptions& options) {
  const std::vector<Tensor> inputs = random_inputs(given.graph());
  const auto first = device.compile(given.lowered(), given.plan);
  const auto second = device.compile(rewritten.lowered(), rewritten.plan);
  GraphContest contest;
  contest.disagreement = disagreement(given.graph(), first->run(inputs), second->run(inputs));
  if (!contest.disagreement.empty()) return contest;
  const auto turn_of = [&](Program& program) -> Turn {
    return [&program, &inputs] {
      const auto start = std::chrono::steady_clock::now();
      program.run(inputs);
      return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
          .count();
    };
  };
  TurnOptions turns;
  turns.iterations = kTurns;
  turns.seconds = kMostTurnSeconds;
  turns.progress = options.progress;
  TurnTimes taken = take_turns({turn_of(*first), turn_of(*second)}, turns);
  if (taken.times.size() == 2)
    contest.times = {std::move(taken.times[0]), std::move(taken.times[1])};
  return contest;
}

}  // namespace braid
