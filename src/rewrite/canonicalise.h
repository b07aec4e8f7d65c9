#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "graph/graph.h"

namespace braid {

/// What the steps of one canonicalisation may add to the model: a hostile model must not make
/// folding fill the memory or run for hours.
struct Allowance {
  std::int64_t bytes = 0;  ///< of new constants, beyond those whose originals vanish
  double work = 0;         ///< elements read, written and computed while folding

  /// Takes them from the allowance and says true, or leaves it as it was and says false.
  bool spend(std::int64_t more_bytes, double more_work);
};

/// Allows about as much again as the model's constants hold, and a little for a model without any.
Allowance allowance_of(const Graph& graph);

/// One clean-up. It leaves the graph valid and equal: the same outputs with the same names, types
/// and numbers (up to rounding where arithmetic is joined). A value that survives under its name
/// still means the same.
struct CanonicaliseStep {
  std::string_view name;
  std::string_view help;
  std::int64_t (*run)(Graph&, Allowance&);  ///< returns the number of changes it made
};

/// All steps in the order in which they run.
const std::vector<CanonicaliseStep>& canonicalise_steps();

struct CanonicaliseOptions {
  std::vector<std::string> disabled = {};  ///< names of steps to leave out
  /// After each step that changed something, evaluate the graph on fixed random inputs and compare
  /// its outputs with the original's. Left out where that would take longer than a few seconds.
  bool verify_numbers = false;
  Progress progress = {};
};

/// One run of a step.
struct StepReport {
  std::string name;
  std::int64_t changes = 0;
  std::size_t nodes_before = 0;
  std::size_t nodes_after = 0;
  double seconds = 0;
};

struct Canonicalised {
  Graph graph;
  /// In the order of running: every step once, and again where it found more in a later round.
  std::vector<StepReport> steps;
};

/// Runs the steps in rounds until a round changes nothing, and verifies the graph after each. Takes
/// time linear in nodes and edges for each round. Throws Usage if a disabled step does not exist.
Canonicalised canonicalise(Graph graph, const CanonicaliseOptions& options = {});

}  // namespace braid
