#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "tests/devices/fake_device.h"
#include "tests/devices/fake_memory.h"
#include "trace/trace.h"

namespace braid {

/// One run of a Plan on a fake device.
///
/// A step is two events. When it begins it spoils what it is going to write; when it ends it reads,
/// computes and writes. Whatever stream has an event that may happen next may be drawn, so that
/// every interleaving that the Plan allows can come out. An event happens at the earliest time that
/// is neither before the event drawn last nor before it is due.
class FakeRun {
 public:
  FakeRun(const Graph& lowered, const Plan& plan, const CostModel& costs, Flaw flaw,
          std::uint64_t seed);

  std::vector<Tensor> run(std::span<const Tensor> inputs, Trace* trace);

 private:
  /// How far a stream is.
  struct Progress {
    std::int32_t ended = 0;  ///< steps
    bool is_inside = false;  ///< the next step has begun
    double begin_us = 0;     ///< of the step that it is inside of
  };

  bool is_done() const;
  bool may_go_on(std::size_t stream) const;
  std::size_t draw_stream();
  void begin(std::size_t stream, FakeMemory& memory);
  void end(std::size_t stream, FakeMemory& memory, Trace& trace);
  void compute(const Step& step, FakeMemory& memory) const;

  const Graph& graph_;
  const Plan& plan_;
  const CostModel& costs_;
  Flaw flaw_;
  std::mt19937_64 random_;
  std::vector<Progress> streams_;
  double now_us_ = 0;
};

}  // namespace braid
