#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cost/cost_model.h"
#include "cost/simulated_time.h"
#include "plan/timeline.h"
#include "schedule/bounds.h"
#include "schedule/lane_simulator.h"

namespace braid {

/// When the steps of a Plan are thought to run.
struct Prediction {
  Timeline timeline;
  std::optional<SimulatedTime> simulated = {};  ///< on a simulated device: with its uncertainty
};

/// Tells how long Plans of one lowered graph are thought to take on the device that the judge comes
/// from. Not for several threads at once.
class Judge {
 public:
  virtual ~Judge() = default;
  /// The time that searches try to make small, in microseconds. It does not mind where values are
  /// placed, and may give up on a Plan that seems to take longer than `give_up_us`: the answer then
  /// is greater.
  virtual double time_us(const Plan& plan, double give_up_us) = 0;
  /// Whether there are models of the device that a search cannot see through time_us().
  virtual bool knows_unseen_models() const { return false; }
  /// The times of a Plan in those models.
  virtual std::vector<double> unseen_us(const Plan& /*plan*/) { return {}; }
  /// The times of a Plan in the models by which graphs are compared, draw by draw with the times of
  /// another graph's Plan in the same models. They are as they come: scaled by this graph's own
  /// kernels, as time_us() may be, they would say nothing about another. Empty if the device has no
  /// such models: then only running both tells. At most `most` of them, from model number `from`
  /// on.
  virtual std::vector<double> graph_us(const Plan& /*plan*/, std::size_t /*most*/ = kAllModels,
                                       std::size_t /*from*/ = 0) {
    return {};
  }
  static constexpr std::size_t kAllModels = 1000;
  virtual Prediction predict(const Plan& plan) = 0;
  /// What no prediction is shorter than.
  virtual Bounds bounds() = 0;
};

/// Judges by the simulator of lanes. What is given must outlive it.
std::unique_ptr<Judge> lane_judge(const Graph& lowered, const CostModel& costs,
                                  const DeviceSpec& device);

}  // namespace braid
