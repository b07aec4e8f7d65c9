#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "plan/plan.h"

namespace braid {

/// Steps that must all have ended before another begins: of every stream at most one, the last that
/// matters. Sorted by stream.
using Frontier = std::vector<StepRef>;

/// Adds a step, or keeps a later one of its stream.
void extend(Frontier& frontier, StepRef step);
void extend(Frontier& frontier, const Frontier& other);

/// The order that the streams and waits of a Plan impose: a step begins when the one before it on
/// its stream and all steps that it waits for have ended. Kept as a vector clock per step, so a
/// question costs one comparison.
class HappensBefore {
 public:
  /// Throws Model if a step names a node that the graph does not have, if a wait points outside the
  /// Plan or if waits form a cycle; Quota if there are too many streams for the number of steps.
  HappensBefore(const Graph& graph, const Plan& plan);

  /// Whether `a` has ended when `b` begins, in every run.
  bool before(StepRef a, StepRef b) const { return ended(b)[a.stream.at()] > a.index; }
  bool before(const Frontier& all, StepRef b) const;

  /// For each stream, how many of its steps have ended when this step begins.
  std::span<const std::int32_t> ended(StepRef step) const {
    return std::span(clocks_).subspan(number(step) * streams_, streams_);
  }
  std::size_t streams() const { return streams_; }

  /// One order in which the steps may run, one at a time. It keeps the streams abreast: steps are
  /// sorted by the length of the longest row of steps before them.
  const std::vector<StepRef>& order() const { return order_; }
  /// The step's index in order().
  std::int32_t position(StepRef step) const { return position_[number(step)]; }
  /// The least position from which on every step begins after all of `frontier` have ended.
  std::int32_t settled(const Frontier& frontier) const;

 private:
  std::size_t number(StepRef step) const {
    return first_[step.stream.at()] + static_cast<std::size_t>(step.index);
  }
  void check(const Graph& graph, const Plan& plan) const;
  std::vector<std::int32_t> levels(const Graph& graph, const Plan& plan);
  void advance(StepRef before, StepRef step);

  std::size_t streams_ = 0;
  std::vector<std::size_t> first_;  // number of a stream's first step; one entry more than streams
  std::vector<std::int32_t> clocks_;
  std::vector<StepRef> order_;
  std::vector<std::int32_t> position_;
};

/// Removes waits that stream order and the other waits imply: the least set with the same order.
void reduce_waits(const Graph& graph, Plan& plan);

}  // namespace braid
