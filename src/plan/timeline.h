#pragma once

#include <vector>

#include "plan/plan.h"

namespace braid {

/// When each step of a Plan begins and ends, by stream and index, as a model of the device tells.
/// What comes after a step begins when the step has ended, or later.
struct Timeline {
  struct Span {
    double begin_us = 0;
    double end_us = 0;
  };
  std::vector<std::vector<Span>> streams;
  double end_us = 0;

  const Span& at(StepRef ref) const {
    return streams[ref.stream.at()][static_cast<std::size_t>(ref.index)];
  }
};

}  // namespace braid
