#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain/pairs.h"
#include "explain/subject.h"

namespace braid {

struct ExplainOptions {
  std::size_t operators = 48;  ///< the costliest, whose pairs are looked at
  std::size_t pairs = 10;      ///< of these, to tell about
  /// Pairs to tell about instead of those.
  std::vector<std::pair<NodeId, NodeId>> asked = {};
};

/// What a Plan takes and why.
struct Explanation {
  double predicted_us = 0;
  double start_us = 0;  ///< of it, until the first step begins
  Bounds bounds;
  double headroom_us = 0;         ///< what another Plan might save at most (explain/headroom.h)
  double parallelism = 0;         ///< steps under way at a time, on average
  std::size_t waits = 0;          ///< between streams
  std::size_t operators = 0;      ///< nodes that are not views
  std::size_t small = 0;          ///< operators that hardly take longer than a launch
  double small_us = 0;            ///< that these take, one after another
  Pairs::Survey survey;           ///< empty if pairs were asked for
  std::vector<Pair> pairs;        ///< that were asked for, or of the survey
  std::vector<Pair> overlapping;  ///< of the survey, with what they do to each other on a GPU
  std::vector<sim::Interference> interference;  ///< of classes of kernels, on a simulated GPU
  std::vector<std::string> advice;              ///< what would help, a sentence each
};

Explanation explain(const Subject& subject, const ExplainOptions& options = {});

}  // namespace braid
