#include "schedule/judge.h"

namespace braid {
namespace {

class LaneJudge : public Judge {
 public:
  LaneJudge(const Graph& lowered, const CostModel& costs, const DeviceSpec& device)
      : lowered_(lowered), costs_(costs), device_(device) {}

  double time_us(const Plan& plan, double /*give_up_us*/) override {
    return simulate_lanes(lowered_, costs_, device_, plan).end_us;
  }
  Prediction predict(const Plan& plan) override {
    return {simulate_lanes(lowered_, costs_, device_, plan)};
  }
  Bounds bounds() override { return lane_bounds(lowered_, costs_, device_); }

 private:
  const Graph& lowered_;
  const CostModel& costs_;
  const DeviceSpec& device_;
};

}  // namespace

std::unique_ptr<Judge> lane_judge(const Graph& lowered, const CostModel& costs,
                                  const DeviceSpec& device) {
  return std::make_unique<LaneJudge>(lowered, costs, device);
}

}  // namespace braid
