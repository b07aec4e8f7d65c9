#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "rewrite/steps.h"

namespace braid {

/// Steps that run again and again until none of them finds more; only then does the next phase
/// begin. What a later phase fuses, an earlier one could no longer fold.
using CanonicalisePhase = std::vector<RewriteStep>;

/// All phases in the order in which they run.
const std::vector<CanonicalisePhase>& canonicalise_phases();
/// The steps of all phases, in the order in which they run.
std::vector<RewriteStep> canonicalise_steps();

struct CanonicaliseOptions {
  std::vector<std::string> disabled = {};  ///< names of steps to leave out
  /// After each step that changed something, evaluate the graph on fixed random inputs and compare
  /// its outputs with the original's. Left out where that would take longer than a few seconds.
  bool verify_numbers = false;
  Progress progress = {};
};

struct Canonicalised {
  Graph graph;
  /// What ran, in order: every step once, and again where it found more in a later round.
  std::vector<StepReport> steps;
};

/// Runs the phases, and all of them again as long as something changes; ten rounds at most. Takes
/// time linear in nodes and edges for each round. Throws Usage if a disabled step does not exist.
Canonicalised canonicalise(Graph graph, const CanonicaliseOptions& options = {});

/// Canonicalises a graph that was canonical before rules of a search (rewrite/rules/rules.h)
/// changed it: only by the steps that may find something to do then. They read no weights.
Graph tidy(Graph graph, std::vector<std::string> disabled = {});

}  // namespace braid
