#include "rewrite/canonicalise.h"

#include <algorithm>
#include <array>
#include <span>

#include "rewrite/canonical/number_check.h"
#include "rewrite/canonical/rules.h"

namespace braid {
namespace {

/// Real models settle in two or three rounds of all phases; the bound is for the others.
constexpr int kMostRounds = 10;

/// What no rule of a search makes.
constexpr auto kUntouched = std::to_array<std::string_view>(
    {"fold-constants", "einsum-products", "recognise-gelu", "recognise-layer-norm",
     "fold-batch-norm", "fold-scale", "join-branches", "fold-pads", "lift-gemms"});

/// Phases whose steps take turns until none finds more.
class Canonicaliser {
 public:
  Canonicaliser(Graph graph, const std::vector<CanonicalisePhase>& phases, NumberCheck numbers,
                const Progress& progress)
      : progress_(progress),
        phases_(phases),
        rounds_left_(kMostRounds * std::ssize(phases)),
        numbers_(std::move(numbers)),
        allowance_(allowance_of(graph)),
        result_{std::move(graph), {}} {
    for (const CanonicalisePhase& phase : phases) steps_ += std::ssize(phase);
    settled_.resize(static_cast<std::size_t>(steps_), -1);
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
    auto settled = settled_.begin() + done_;
    for (const RewriteStep& step : phase) {
      std::int64_t& found_nothing_at = *settled++;
      if (found_nothing_at == changes_) continue;
      report(progress_, "canonicalise", done_, steps_);
      StepReport done = run_step(step, result_.graph, allowance_);
      const bool did = done.changes > 0;
      changed |= did;
      if (did)
        ++changes_;
      else
        found_nothing_at = changes_;
      if (did) numbers_.check(result_.graph, done.name);
      if (did || report_all) result_.steps.push_back(std::move(done));
    }
    return changed;
  }

  const Progress& progress_;
  const std::vector<CanonicalisePhase>& phases_;
  std::int64_t steps_ = 0;
  std::int64_t rounds_left_;           // of single phases
  std::int64_t done_ = 0;              // steps of phases that are settled
  std::int64_t changes_ = 0;           // steps that changed the graph so far
  std::vector<std::int64_t> settled_;  // of each step: after how many changes it found nothing
  NumberCheck numbers_;
  Allowance allowance_;
  Canonicalised result_;
};

/// The phases without what is disabled, some of which may be empty.
std::vector<CanonicalisePhase> enabled_phases(std::span<const std::string> disabled) {
  std::vector<CanonicalisePhase> phases = canonicalise_phases();
  for (CanonicalisePhase& phase : phases)
    std::erase_if(phase, [&](const RewriteStep& step) {
      return std::ranges::find(disabled, step.name) != disabled.end();
    });
  return phases;
}

/// What tidying does on a device that leaves nothing out.
const std::vector<CanonicalisePhase>& tidying_phases() {
  static const std::vector<CanonicalisePhase> phases =
      enabled_phases(std::vector<std::string>(kUntouched.begin(), kUntouched.end()));
  return phases;
}

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
  enabled_steps(canonicalise_steps(), options.disabled);
  const std::vector<CanonicalisePhase> phases = enabled_phases(options.disabled);
  NumberCheck numbers = options.verify_numbers ? NumberCheck(graph) : NumberCheck();
  return Canonicaliser(std::move(graph), phases, std::move(numbers), options.progress).run();
}

Graph tidy(Graph graph, std::vector<std::string> disabled) {
  if (disabled.empty()) {
    const Progress nobody;
    return Canonicaliser(std::move(graph), tidying_phases(), {}, nobody).run().graph;
  }
  disabled.insert(disabled.end(), kUntouched.begin(), kUntouched.end());
  return canonicalise(std::move(graph), {.disabled = std::move(disabled)}).graph;
}

}  // namespace braid
