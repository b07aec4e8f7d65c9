#include "rewrite/canonicalise.h"

#include "rewrite/canonical/number_check.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// Real models settle in two or three rounds; the bound is for the others.
constexpr int kMostRounds = 10;

class Canonicaliser {
 public:
  Canonicaliser(Graph graph, const CanonicaliseOptions& options)
      : options_(options),
        enabled_(enabled_steps(canonicalise_steps(), options.disabled)),
        numbers_(options.verify_numbers ? NumberCheck(graph) : NumberCheck()),
        allowance_(allowance_of(graph)),
        result_{std::move(graph), {}} {}

  Canonicalised run() {
    for (int round = 0; round < kMostRounds && all_phases(round == 0); ++round) {
    }
    return std::move(result_);
  }

 private:
  bool is_enabled(const RewriteStep& step) const {
    for (const RewriteStep& other : enabled_)
      if (other.name == step.name) return true;
    return false;
  }

  /// Whether one of them changed something.
  bool all_phases(bool first) {
    bool changed = false;
    std::int64_t done = 0;
    for (const CanonicalisePhase& phase : canonicalise_phases()) {
      report(options_.progress, "canonicalise", done, std::ssize(enabled_));
      for (int round = 0; round < kMostRounds; ++round) {
        if (!all_steps(phase, first && round == 0)) break;
        changed = true;
      }
      done += std::ssize(phase.steps);
    }
    return changed;
  }

  bool all_steps(const CanonicalisePhase& phase, bool first) {
    bool changed = false;
    for (const RewriteStep& step : phase.steps) {
      if (!is_enabled(step)) continue;
      StepReport done = run_step(step, result_.graph, allowance_);
      const bool did = done.changes > 0;
      changed |= did;
      if (did) numbers_.check(result_.graph, done.name);
      if (did || first) result_.steps.push_back(std::move(done));
    }
    return changed;
  }

  const CanonicaliseOptions& options_;
  std::vector<RewriteStep> enabled_;
  NumberCheck numbers_;
  Allowance allowance_;
  Canonicalised result_;
};

}  // namespace

const std::vector<CanonicalisePhase>& canonicalise_phases() {
  static const std::vector<CanonicalisePhase> phases = {
      {"clean up",
       {{"remove-dead", "drop what no output needs", remove_dead},
        step_of(fold_constants()),
        step_of(remove_identities()),
        step_of(collapse_reshapes()),
        step_of(collapse_transposes()),
        {"merge-common-subexpressions", "compute equal things once", merge_common_subexpressions},
        step_of(merge_concats()),
        step_of(cancel_split_concat())}},
      {"recognise and fold",
       {step_of(recognise_gelu()), step_of(recognise_layer_norm()), step_of(fold_batch_norm()),
        step_of(fold_pads()), step_of(lift_gemms())}},
      {"fuse", {step_of(fuse_bias()), step_of(fuse_residual()), step_of(fuse_activation())}},
  };
  return phases;
}

std::vector<RewriteStep> canonicalise_steps() {
  std::vector<RewriteStep> steps;
  for (const CanonicalisePhase& phase : canonicalise_phases())
    steps.insert(steps.end(), phase.steps.begin(), phase.steps.end());
  return steps;
}

Canonicalised canonicalise(Graph graph, const CanonicaliseOptions& options) {
  return Canonicaliser(std::move(graph), options).run();
}

}  // namespace braid
