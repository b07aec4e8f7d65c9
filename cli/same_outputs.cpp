#include "cli/same_outputs.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/output_comparison.h"

namespace braid::cli {
namespace {

/// Whether they compute in the same ways, so that their answers have the same bits.
bool are_lowered_alike(const PreparedModel& one, const PreparedModel& other) {
  return one.optimise == other.optimise && one.threads == other.threads;
}

void check_outputs(const PreparedModel& contender, const std::vector<Tensor>& outputs,
                   const PreparedModel& other, const std::vector<Tensor>& expected) {
  const bool exactly = are_lowered_alike(contender, other);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputComparison found = compare_output(outputs[i], expected[i], {}, exactly ? 0 : 1);
    if (exactly ? found.is_identical() : found.is_equal()) continue;
    raise(ErrorKind::Mismatch, fmt::format("the output {} under {} is not that under {}: {}",
                                           quote(contender.prepared.graph().outputs()[i].name),
                                           contender.label(), other.label(), mismatch_text(found)));
  }
}

}  // namespace

std::vector<Tensor> same_outputs(const std::vector<PreparedModel>& contenders,
                                 const std::vector<Tensor>& inputs) {
  struct Answer {
    const PreparedModel& of;
    std::vector<Tensor> outputs;
  };
  std::vector<Answer> first;  // of each graph
  for (const PreparedModel& contender : contenders) {
    std::vector<Tensor> outputs = run(contender.prepared, inputs);
    const auto same = std::ranges::find_if(
        first, [&](const Answer& answer) { return are_lowered_alike(answer.of, contender); });
    if (same != first.end()) {
      check_outputs(contender, outputs, same->of, same->outputs);
      continue;
    }
    if (!first.empty()) check_outputs(contender, outputs, first[0].of, first[0].outputs);
    first.push_back({contender, std::move(outputs)});
  }
  return std::move(first[0].outputs);
}

}  // namespace braid::cli
