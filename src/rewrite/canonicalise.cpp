#include "rewrite/canonicalise.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/verify.h"
#include "rewrite/canonical/number_check.h"
#include "rewrite/canonical/steps.h"

namespace braid {
namespace {

/// Real models settle in two or three rounds; the bound is for the others.
constexpr int kMostRounds = 10;

constexpr std::int64_t kFreeBytes = std::int64_t{64} << 20;
constexpr double kFreeWork = 4e9;

std::vector<CanonicaliseStep> chosen_steps(const std::vector<std::string>& disabled) {
  std::vector<CanonicaliseStep> chosen = canonicalise_steps();
  for (const std::string& name : disabled) {
    const auto is_named = [&](const CanonicaliseStep& step) { return step.name == name; };
    const auto& all = canonicalise_steps();
    if (std::none_of(all.begin(), all.end(), is_named)) {
      std::string names;
      for (const CanonicaliseStep& step : all) names += fmt::format(" {}", step.name);
      raise(ErrorKind::Usage, fmt::format("there is no canonicalisation step {}; the steps are:{}",
                                          quote(name), names));
    }
    std::erase_if(chosen, is_named);
  }
  return chosen;
}

StepReport run(const CanonicaliseStep& step, Graph& graph, Allowance& allowance) {
  StepReport report;
  report.name = step.name;
  report.nodes_before = graph.node_count();
  const auto start = std::chrono::steady_clock::now();
  with_note([&] { return fmt::format("in canonicalisation step '{}'", step.name); },
            [&] {
              report.changes = step.run(graph, allowance);
              if (report.changes > 0) verify(graph);
            });
  report.nodes_after = graph.node_count();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

bool Allowance::spend(std::int64_t more_bytes, double more_work) {
  if (more_bytes > bytes || more_work > work) return false;
  bytes -= more_bytes;
  work -= more_work;
  return true;
}

Allowance allowance_of(const Graph& graph) {
  std::int64_t held = 0;
  for (ValueId id : graph.value_ids())
    held += static_cast<std::int64_t>(graph.value(id).constant.bytes().size());
  return {.bytes = kFreeBytes + 2 * held, .work = kFreeWork + 8 * static_cast<double>(held)};
}

const std::vector<CanonicaliseStep>& canonicalise_steps() {
  static const std::vector<CanonicaliseStep> steps = {
      {"remove-dead", "drop what no output needs", remove_dead},
      {"fold-constants", "compute what does not depend on the inputs", fold_constants},
      {"remove-identities", "drop operators that change nothing", remove_identities},
      {"collapse-reshapes", "a row of reshapes becomes one", collapse_reshapes},
      {"collapse-transposes", "a row of transposes becomes one, or none", collapse_transposes},
      {"merge-common-subexpressions", "compute equal things once", merge_common_subexpressions},
      {"merge-concats", "a concat of concats becomes one", merge_concats},
      {"cancel-split-concat", "drop a split and a concat that undo each other",
       cancel_split_concat},
      {"recognise-gelu", "find Gelu in its parts", recognise_gelu},
      {"recognise-layer-norm", "find LayerNormalization in its parts", recognise_layer_norm},
      {"fold-batch-norm", "fold BatchNormalization into the weights before it", fold_batch_norm},
      {"fold-pads", "fold Pad into the pads of the operator after it", fold_pads},
      {"lift-gemms", "a Gemm between reshapes becomes a MatMul of what lies before them",
       lift_gemms},
      {"fuse-bias", "make an added constant the bias of the operator before it", fuse_bias},
      {"fuse-residual", "add another value inside the operator before it", fuse_residual},
      {"fuse-activation", "apply an activation inside the operator before it", fuse_activation},
  };
  return steps;
}

Canonicalised canonicalise(Graph graph, const CanonicaliseOptions& options) {
  const std::vector<CanonicaliseStep> steps = chosen_steps(options.disabled);
  const NumberCheck numbers = options.verify_numbers ? NumberCheck(graph) : NumberCheck();
  Allowance allowance = allowance_of(graph);
  Canonicalised result{std::move(graph), {}};
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      report(options.progress, "canonicalise", static_cast<std::int64_t>(s),
             static_cast<std::int64_t>(steps.size()));
      StepReport done = run(steps[s], result.graph, allowance);
      changed |= done.changes > 0;
      if (done.changes > 0) numbers.check(result.graph, done.name);
      if (done.changes > 0 || round == 0) result.steps.push_back(std::move(done));
    }
  }
  return result;
}

}  // namespace braid
