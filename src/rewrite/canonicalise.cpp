#include "rewrite/canonicalise.h"

#include <algorithm>
#include <array>

#include "rewrite/canonical/number_check.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// Real models settle in two or three rounds of all phases; the bound is for the others.
constexpr int kMostRounds = 10;

/// What no rule of a search makes.
constexpr auto kUntouched =
    std::to_array<std::string_view>({"fold-constants", "recognise-gelu", "recognise-layer-norm",
                                     "fold-batch-norm", "fold-pads", "lift-gemms"});

class Canonicaliser {
 public:
  Canonicaliser(Graph graph, const CanonicaliseOptions& options)
      : progress_(options.progress),
        phases_(canonicalise_phases()),
        steps_(std::ssize(enabled_steps(canonicalise_steps(), options.disabled))),
        rounds_left_(kMostRounds * std::ssize(phases_)),
        numbers_(options.verify_numbers ? NumberCheck(graph) : NumberCheck()),
        allowance_(allowance_of(graph)),
        result_{std::move(graph), {}} {
    for (CanonicalisePhase& phase : phases_)
      std::erase_if(phase, [&](const RewriteStep& step) {
        return std::ranges::find(options.disabled, step.name) != options.disabled.end();
      });
  }

  Canonicalised run() {
    bool is_first = true;
    while (all_phases(is_first)) is_first = false;
    return std::move(result_);
  }

 private:
  /// Runs all phases; tells whether one of them changed something.
  bool all_phases(bool is_first) {
    bool changed = false;
    done_ = 0;
    for (const CanonicalisePhase& phase : phases_) {
      bool report_all = is_first;
      while (rounds_left_ > 0 && all_steps(phase, report_all)) {
        changed = true;
        report_all = false;
      }
      done_ += std::ssize(phase);
    }
    return changed;
  }

  bool all_steps(const CanonicalisePhase& phase, bool report_all) {
    bool changed = false;
    --rounds_left_;
    for (const RewriteStep& step : phase) {
      report(progress_, "canonicalise", done_, steps_);
      StepReport done = run_step(step, result_.graph, allowance_);
      const bool did = done.changes > 0;
      changed |= did;
      if (did) numbers_.check(result_.graph, done.name);
      if (did || report_all) result_.steps.push_back(std::move(done));
    }
    return changed;
  }

  const Progress& progress_;
  std::vector<CanonicalisePhase> phases_;  // without what is disabled
  std::int64_t steps_;
  std::int64_t rounds_left_;  // of single phases
  std::int64_t done_ = 0;     // steps of phases that are settled
  NumberCheck numbers_;
  Allowance allowance_;
  Canonicalised result_;
};

}  // namespace

const std::vector<CanonicalisePhase>& canonicalise_phases() {
  static const std::vector<CanonicalisePhase> phases = phase_table();
  return phases;
}

std::vector<RewriteStep> canonicalise_steps() {
  std::vector<RewriteStep> steps;
  for (const CanonicalisePhase& phase : canonicalise_phases())
    steps.insert(steps.end(), phase.begin(), phase.end());
  return steps;
}

Canonicalised canonicalise(Graph graph, const CanonicaliseOptions& options) {
  return Canonicaliser(std::move(graph), options).run();
}

Graph tidy(Graph graph, std::vector<std::string> disabled) {
  disabled.insert(disabled.end(), kUntouched.begin(), kUntouched.end());
  return canonicalise(std::move(graph), {.disabled = std::move(disabled)}).graph;
}

}  // namespace braid
